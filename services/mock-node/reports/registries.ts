// Whom nodes report to, and as whom: a channel for each way in which discovery is known, shared by all nodes that
// know it so. A token is sent over no connection that was not verified (design, section 8, "First contact").

import type { Clock } from '../../../shared/clock.js';
import { insecureNodeCredentials } from '../../../shared/grpc/credentials.js';
import { type RegistryAnchor, registryCredentials } from '../../../shared/tls/channel-credentials.js';
import { FailedReports } from './failed-reports.js';
import { RegistryClient, type Speaker } from './registry-client.js';
import type { Registry } from './report.js';

export interface RegistriesOptions {
  /** host:port of discovery's listener for nodes. */
  readonly address: string;
  readonly tls: boolean;
  /** PEM, from --ca; undefined where tokens name the CA. */
  readonly caPem: string | undefined;
  /** How long a channel stays open for the next report: milliseconds. */
  readonly lingerMs: number;
  readonly clock: Clock;
  /** Told once where nodes cannot report, and from time to time why reports do not get through. */
  readonly warn: (message: string) => void;
}

export interface Reporting extends Speaker {
  /** Hex SHA-256 of the certificate of discovery's CA, as the token has it; empty where it has none. */
  readonly caSha256: string;
}

export class Registries {
  readonly #options: RegistriesOptions;
  readonly #clients = new Map<string, RegistryClient>();
  readonly #failed: FailedReports;
  #warned = false;

  constructor(options: RegistriesOptions) {
    this.#options = options;
    this.#failed = new FailedReports(options.clock, options.warn);
  }

  /** @returns where a boot reports to; undefined where it has no way to know discovery */
  open(boot: Reporting): Registry | undefined {
    const { tls, caPem, clock } = this.#options;
    if (!tls) return this.#clientOf('', () => insecureNodeCredentials(clock)).as(boot);
    const anchor = anchorOf(caPem, boot.caSha256);
    if (anchor === undefined) {
      this.#warnOnce();
      return undefined;
    }
    const name = anchor.kind === 'CA' ? 'CA' : anchor.caSha256;
    return this.#clientOf(name, () => registryCredentials(anchor, clock)).as(boot);
  }

  /** Closes all channels. A later report opens another. */
  close(): void {
    for (const client of this.#clients.values()) client.close();
  }

  #clientOf(name: string, credentials: () => ReturnType<typeof registryCredentials>): RegistryClient {
    let client = this.#clients.get(name);
    if (client === undefined) {
      const { address, lingerMs, clock } = this.#options;
      const failed = this.#failed.count.bind(this.#failed);
      client = new RegistryClient({ address, credentials: credentials(), lingerMs, clock, failed });
      this.#clients.set(name, client);
    }
    return client;
  }

  #warnOnce(): void {
    if (this.#warned) return;
    this.#warned = true;
    this.#options.warn(
      'nodes do not report: they do not know the CA of discovery, and send their token to nobody else; give its ' +
        'certificate with --ca, or a token that names it (extensions.slipway_ca_sha256)',
    );
  }
}

function anchorOf(caPem: string | undefined, caSha256: string): RegistryAnchor | undefined {
  if (caPem !== undefined) return { kind: 'CA', caPem };
  return caSha256 === '' ? undefined : { kind: 'HASH', caSha256 };
}
