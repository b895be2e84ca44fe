// Where a node's files are, under --dir/IDENTITY:
//
//   server.conf, server.jwt, policies/, opa/, ssl/   the configuration that the node started with
//   state/manifest.json                              what the node remembers (node-state.ts)
//   state/staging-N/                                 a configuration that waits for a start: its files, 0 and up,
//                                                    in the order in which the manifest lists them
//
// Files of a configuration are only ever replaced by a start (node-store.ts).

import { join } from 'node:path';

/** What belongs to a configuration: all of it is replaced or removed with one. */
export const configurationEntries = ['server.conf', 'server.jwt', 'policies', 'opa', 'ssl'] as const;

export const settingsFile = 'server.conf';

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
