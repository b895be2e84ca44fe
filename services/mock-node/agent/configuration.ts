// What Configure brings, in domain types, and the files that are made of it.

import type { FileContent } from '../state/placement.js';
import { formatSettings, type Settings } from '../state/settings.js';

export interface Configuration {
  /** Hex SHA-256 over the fields of the call (design, section 3). */
  readonly digest: string;
  /** JSON text as it came. */
  readonly configurationJson: string;
  /** Encrypted PEM; empty where there is none. */
  readonly keyPem: string;
  readonly certificatePem: string;
  readonly caPem: string;
  /** Empty for the agent's own choice. */
  readonly sslDir: string;
  /** X25519 public keys; empty where there is no key. */
  readonly nodeEcdhPublic: Uint8Array;
  readonly provisionerEcdhPublic: Uint8Array;
  readonly serverJwt: string;
  readonly actionPolicies: ReadonlyMap<string, string>;
  readonly opaPolicies: ReadonlyMap<string, string>;
}

/**
 * @param settings what configurationJson says, checked
 * @returns the files that make up the configuration. A node of this program keeps them in its own folder,
 *   whatever ssl_dir names: it plays a machine, it is none.
 */
export function filesOf(configuration: Configuration, settings: Settings): FileContent[] {
  const files: FileContent[] = [{ path: 'server.conf', content: formatSettings(settings), mode: 0o600 }];
  const add = (path: string, content: string, mode: number) => {
    if (content !== '') files.push({ path, content, mode });
  };
  add('server.jwt', configuration.serverJwt, 0o600);
  add('ssl/key.pem', configuration.keyPem, 0o600);
  add('ssl/certificate.pem', configuration.certificatePem, 0o644);
  add('ssl/ca.pem', configuration.caPem, 0o644);
  for (const [name, content] of configuration.actionPolicies) {
    files.push({ path: `policies/${name}`, content, mode: 0o644 });
  }
  for (const [name, content] of configuration.opaPolicies) {
    files.push({ path: `opa/${name}`, content, mode: 0o644 });
  }
  return files;
}
