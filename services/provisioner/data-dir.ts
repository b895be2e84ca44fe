// The folder in which the provisioner keeps its state: made where it is missing, and refused at start where
// nothing could be written, rather than when an operator pauses in a hurry.

import { constants } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { StartError } from '../../shared/process/start-error.js';

/** @throws StartError where the folder cannot be made or written to */
export async function prepareDataDir(folder: string): Promise<void> {
  try {
    await makeFolder(folder);
    await access(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new StartError(`data_dir ${folder} cannot be written to: ${why}; make it, or set another`, {
      cause: error,
    });
  }
}

/** mkdir's own way of making parents runs for ever below a folder that refuses with ENOENT, as /proc does. */
async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EEXIST') return;
    const parent = dirname(folder);
    if (code !== 'ENOENT' || parent === folder || (await isThere(parent))) throw error;
    await makeFolder(parent);
    await mkdir(folder);
  }
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
