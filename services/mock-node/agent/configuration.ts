// What Configure brings, in domain types, and the files that are made of it.

import { caName, certificateName, privateKeyName, serverTokenFile, settingsFile } from '../state/layout.js';
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

/** What is made of a configuration once it was checked. */
export interface Checked {
  readonly settings: Settings;
  /** Where key and certificates go, relative to the node's folder; empty for that folder itself. */
  readonly sslFolder: string;
  /** Decrypted; empty where no key came. */
  readonly privateKeyPem: string;
}

/** @returns the files that make up the configuration, a private key before its certificate */
export function filesOf(configuration: Configuration, checked: Checked): FileContent[] {
  const files: FileContent[] = [
    { path: settingsFile, content: formatSettings(checked.settings), mode: 0o600 },
  ];
  const add = (path: string, content: string, mode: number) => {
    if (content !== '') files.push({ path, content, mode });
  };
  const inSsl = (name: string) => (checked.sslFolder === '' ? name : `${checked.sslFolder}/${name}`);
  add(serverTokenFile, configuration.serverJwt.trim(), 0o600);
  add(inSsl(privateKeyName), checked.privateKeyPem, 0o600);
  add(inSsl(certificateName), configuration.certificatePem, 0o644);
  add(inSsl(caName), configuration.caPem, 0o644);
  for (const [name, content] of configuration.actionPolicies) {
    files.push({ path: `policies/${name}`, content, mode: 0o644 });
  }
  for (const [name, content] of configuration.opaPolicies) {
    files.push({ path: `opa/${name}`, content, mode: 0o644 });
  }
  return files;
}
