// A disk whose end is the machine's: where it loses power, so does all the rest.

import type { Files } from '../../../services/mock-node/state/files.js';
import { PowerLossError } from '../../fakes/crashing-files.js';

/** @param lost called when an operation finds that the power is gone */
export function tellingOfPowerLoss(files: Files, lost: () => void): Files {
  const telling = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      if (error instanceof PowerLossError) lost();
      throw error;
    });
  return {
    read: (path) => telling(files.read(path)),
    list: (path) => telling(files.list(path)),
    mode: (path) => telling(files.mode(path)),
    makeDirectory: (path) => telling(files.makeDirectory(path)),
    write: (path, content, mode) => telling(files.write(path, content, mode)),
    rename: (from, to) => telling(files.rename(from, to)),
    remove: (path) => telling(files.remove(path)),
    sync: (directory) => telling(files.sync(directory)),
  };
}
