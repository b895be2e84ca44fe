// Where a node's files are, under --dir/IDENTITY:
//
//   server.conf, server.jwt, policies/, opa/, ssl/   the configuration that the node started with
//   server.seed                                      the node's ed25519 key, hex seed
//   ssl/private.pem, ssl/csr.pem                     the key of its certificate signing request, and the request
//   state/manifest.json                              what the node remembers (node-state.ts)
//   state/staging-N/                                 a configuration that waits for a start: its files, 0 and up,
//                                                    in the order in which the manifest lists them
//   state/staging-NAME                               a key before it is put in place
//
// Files of a configuration are only ever replaced by a start (node-store.ts). The keys belong to none: they are
// there before it and outlive it. A request beside ssl/private.pem tells whose that key is: where a configuration
// brings a private key of its own, the request is gone before that key is there.

import { basename, join } from 'node:path';

/** What belongs to a configuration: all of it is replaced or removed with one, but for the key of a request. */
export const configurationEntries = ['server.conf', 'server.jwt', 'policies', 'opa', 'ssl'] as const;

export const settingsFile = 'server.conf';
export const serverTokenFile = 'server.jwt';
export const seedFile = 'server.seed';

/** Where key and certificates are, unless a configuration says otherwise. */
export const sslFolder = 'ssl';

/** Names in the folder of key and certificates. */
export const privateKeyName = 'private.pem';
export const certificateName = 'certificate.pem';
export const caName = 'ca.pem';

export const csrKeyFile = `${sslFolder}/${privateKeyName}`;
export const csrFile = `${sslFolder}/csr.pem`;

export const stagingPrefix = 'staging-';

/** @returns the folder of what the node remembers */
export function stateDirectory(nodeDirectory: string): string {
  return join(nodeDirectory, 'state');
}

export function manifestPath(nodeDirectory: string): string {
  return join(stateDirectory(nodeDirectory), 'manifest.json');
}

/** @param staging name of the staging folder, as the manifest has it */
export function stagingDirectory(nodeDirectory: string, staging: string): string {
  return join(stateDirectory(nodeDirectory), staging);
}

/** @param index of the file in the manifest */
export function stagedPath(nodeDirectory: string, staging: string, index: number): string {
  return join(stagingDirectory(nodeDirectory, staging), String(index));
}

/** @param path of the key, relative to the node's folder */
export function stagedKeyPath(nodeDirectory: string, path: string): string {
  return join(stateDirectory(nodeDirectory), `${stagingPrefix}${basename(path)}`);
}
