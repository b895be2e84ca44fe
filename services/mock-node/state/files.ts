// The file operations that the state store is made of, each as small as a crash can tell apart. Tests give a
// fake that loses what was not synced.

import fs from 'node:fs';
import { isMissing } from './missing.js';

export interface Files {
  /** @returns the content, or undefined where there is no such file */
  read(path: string): Promise<Buffer | undefined>;
  /** @returns the names in a folder, in no order; none where there is no such folder */
  list(path: string): Promise<string[]>;
  /** Makes a folder and those above it, as far as they are missing. */
  makeDirectory(path: string): Promise<void>;
  /** Writes a file over whatever was there and syncs its content, not its name. */
  write(path: string, content: string | Buffer, mode: number): Promise<void>;
  /** Renames a file over whatever was there: all of it or none of it. */
  rename(from: string, to: string): Promise<void>;
  /** Removes a file or a folder with all that is in it; nothing happens where there is none. */
  remove(path: string): Promise<void>;
  /** Syncs the names in a folder. */
  sync(directory: string): Promise<void>;
}

/** The machine's own disk. */
export const diskFiles: Files = {
  read: (path) =>
    new Promise((resolve, reject) => {
      fs.readFile(path, (error, content) => {
        if (error === null) resolve(content);
        else if (isMissing(error)) resolve(undefined);
        else reject(error);
      });
    }),

  list: (path) =>
    new Promise((resolve, reject) => {
      fs.readdir(path, (error, names) => {
        if (error === null) resolve(names);
        else if (isMissing(error)) resolve([]);
        else reject(error);
      });
    }),

  makeDirectory: async (path) => {
    await done((callback) => fs.mkdir(path, { recursive: true, mode: 0o700 }, callback));
  },

  write: async (path, content, mode) => {
    const descriptor = await open(path, 'w', mode);
    try {
      await done((callback) => fs.writeFile(descriptor, content, callback));
      await done((callback) => fs.fsync(descriptor, callback));
    } finally {
      await done((callback) => fs.close(descriptor, callback));
    }
  },

  rename: (from, to) => done((callback) => fs.rename(from, to, callback)),

  remove: (path) => done((callback) => fs.rm(path, { recursive: true, force: true }, callback)),

  sync: async (directory) => {
    const descriptor = await open(directory, 'r');
    try {
      await done((callback) => fs.fsync(descriptor, callback));
    } finally {
      await done((callback) => fs.close(descriptor, callback));
    }
  },
};

// Descriptors and callbacks rather than fs/promises: a swarm writes tens of thousands of files, and file
// handles are objects with finalizers.
function open(path: string, flags: string, mode?: number): Promise<number> {
  return new Promise((resolve, reject) => {
    fs.open(path, flags, mode, (error, descriptor) => (error === null ? resolve(descriptor) : reject(error)));
  });
}

function done(start: (callback: (error: NodeJS.ErrnoException | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    start((error) => (error === null || error === undefined ? resolve() : reject(error)));
  });
}
