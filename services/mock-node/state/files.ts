// The file operations that the state store is made of, each as small as a crash can tell apart. Tests give a
// fake that loses what was not synced.

import fs from 'node:fs';
import { isMissing } from './missing.js';

export interface Files {
  /** @returns the content, or undefined where there is no such file */
  read(path: string): Promise<Buffer | undefined>;
  /** @returns the names in a folder, in no order; none where there is no such folder */
  list(path: string): Promise<string[]>;
  /** @returns the permissions of a file or folder, or undefined where there is none */
  mode(path: string): Promise<number | undefined>;
  /** Makes a folder and those above it, as far as they are missing. */
  makeDirectory(path: string): Promise<void>;
  /** Writes a file over whatever was there, with these permissions, and syncs its content, not its name. */
  write(path: string, content: string | Buffer, mode: number): Promise<void>;
  /** Renames a file over whatever was there: all of it or none of it. */
  rename(from: string, to: string): Promise<void>;
  /** Removes a file or a folder with all that is in it; nothing happens where there is none. */
  remove(path: string): Promise<void>;
  /** Syncs the names in a folder. */
  sync(directory: string): Promise<void>;
}

/** The machine's own disk. */
export const diskFiles: Files = filesSyncedBy((descriptor) =>
  done((callback) => fs.fsync(descriptor, callback)),
);

/** The same without syncs, for a folder that does not outlive the process. */
export const temporaryFiles: Files = { ...filesSyncedBy(async () => {}), sync: async () => {} };

function filesSyncedBy(syncContent: (descriptor: number) => Promise<void>): Files {
  return {
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

    mode: (path) =>
      new Promise((resolve, reject) => {
        fs.stat(path, (error, stats) => {
          if (error === null) resolve(stats.mode & 0o7777);
          else if (isMissing(error)) resolve(undefined);
          else reject(error);
        });
      }),

    makeDirectory: async (path) => {
      await done((callback) => fs.mkdir(path, { recursive: true, mode: 0o700 }, callback));
    },

    write: async (path, content, mode) => {
      const descriptor = await open(path, 'w', mode);
      try {
        // The process's umask may have taken away what others are to have.
        if ((mode & 0o077) !== 0) await done((callback) => fs.fchmod(descriptor, mode, callback));
        await done((callback) => fs.writeFile(descriptor, content, callback));
        await syncContent(descriptor);
      } finally {
        await done((callback) => fs.close(descriptor, callback));
      }
    },

    rename: (from, to) => done((callback) => fs.rename(from, to, callback)),

    // Most often an empty folder: one operation instead of the many of a removal in depth.
    remove: (path) =>
      done((callback) => fs.rmdir(path, callback)).catch(() =>
        done((callback) => fs.rm(path, { recursive: true, force: true }, callback)),
      ),

    sync: async (directory) => {
      const descriptor = await open(directory, 'r');
      try {
        await syncContent(descriptor);
      } finally {
        await done((callback) => fs.close(descriptor, callback));
      }
    },
  };
}

/**
 * Syncs of folders that many nodes wait for: who comes while one is under way shares the next.
 *
 * @param files does the operations
 * @param shared the folder whose syncs are shared
 */
export function sharingSyncs(files: Files, shared: string): Files {
  let underWay: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const start = () => {
    next = undefined;
    underWay = files.sync(shared).finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
  const syncShared = () => {
    if (underWay === undefined) return start();
    // The one under way may have begun before this caller's change.
    next ??= underWay.then(start, start);
    return next;
  };
  return { ...files, sync: (directory) => (directory === shared ? syncShared() : files.sync(directory)) };
}

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
