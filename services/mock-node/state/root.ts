// The folder that holds the nodes' folders: the one given, or a temporary one that goes with the process.

import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface StateRoot {
  readonly directory: string;
  /** Removes the folder where it was temporary. */
  dispose(): Promise<void>;
}

/**
 * @param directory undefined for a temporary folder
 * @throws errors of the file system
 */
export async function openStateRoot(directory: string | undefined): Promise<StateRoot> {
  if (directory !== undefined) {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    return { directory, dispose: async () => {} };
  }
  const temporary = await mkdtemp(join(tmpdir(), 'slipway-mock-node-'));
  return { directory: temporary, dispose: () => rm(temporary, { recursive: true, force: true }) };
}
