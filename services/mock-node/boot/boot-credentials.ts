// What a boot has beside its disk: certificate, token, secret, and whom it reports to. Each boot gets its own, made
// or read anew.

import type { ServerCredentials } from '@grpc/grpc-js';
import type { Clock } from '../../../shared/clock.js';
import type { Identity } from '../../../shared/identity.js';
import type { Secret } from '../../../shared/secret.js';
import type { Registries } from '../reports/registries.js';
import type { Registry } from '../reports/report.js';
import { type BootCertificate, newBootCertificate } from './boot-certificate.js';
import type { TokenFile } from './token-file.js';

export interface BootCredentials {
  /** Undefined without TLS. */
  readonly certificate: BootCertificate | undefined;
  readonly token: Secret | undefined;
  /** Without one, any proof is accepted. */
  readonly secret: Secret | undefined;
  /** Whether settings that do not say so enable provisioning. */
  readonly provisioningByDefault: boolean;
  /** Undefined where the node does not report. */
  readonly registry: Registry | undefined;
  /** The boot is over. */
  release(): void;
}

export interface BootCredentialsOptions {
  /** Undefined without --jwt-file. */
  readonly tokenFile: TokenFile | undefined;
  /** What --secret-file holds. */
  readonly secret: Secret | undefined;
  readonly tls: boolean;
  /** One certificate for all boots of the process. */
  readonly shareCertificate: boolean;
  /** Undefined without --discovery. */
  readonly registries: Registries | undefined;
  /** Told of server credentials that are of no more use. */
  readonly release: (credentials: ServerCredentials) => void;
  readonly clock: Clock;
}

/** @returns what gives a boot of the node of this name its credentials */
export function bootCredentials(
  options: BootCredentialsOptions,
): (identity: Identity) => Promise<BootCredentials> {
  const { tokenFile, tls, shareCertificate, registries, release, clock } = options;
  let shared: Promise<BootCertificate> | undefined;

  async function certificateOf(identity: Identity): Promise<BootCertificate | undefined> {
    if (!tls) return undefined;
    if (!shareCertificate) return await newBootCertificate(identity, clock.now());
    shared ??= newBootCertificate('mock-node', clock.now());
    return await shared;
  }

  return async (identity) => {
    const [certificate, token] = await Promise.all([certificateOf(identity), tokenFile?.current()]);
    const caSha256 = token?.caSha256 ?? '';
    return {
      certificate,
      token: token?.text,
      secret: token === undefined ? options.secret : token.secret,
      provisioningByDefault: token?.provisioningByDefault ?? false,
      registry: registries?.open({ certificate, token: token?.text, caSha256 }),
      release: () => {
        if (certificate !== undefined && !shareCertificate) release(certificate.credentials);
      },
    };
  };
}
