// What the log asks of the disk beside LMDB: whether something can be written at all, and what a failure says to people.

import { appendFile, mkdir, open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf } from './errno.js';

const trialName = 'trial';
const lockName = 'lock.mdb';
/** LMDB's lock file has 8,272 bytes for its usual number of readers. */
const lockBytes = 12 * 1024;

/** Why nothing could be written, by the system's number for it. */
const failures = new Map<number | undefined, 'full' | 'quota' | 'read-only' | 'fails'>([
  [28, 'full'],
  [122, 'quota'],
  [30, 'read-only'],
  [5, 'fails'],
]);

/**
 * Writes so many bytes into a folder and removes them again: what is left of a quota, and whether the disk takes
 * anything, is not known in any other way.
 *
 * @throws what the system throws
 */
export async function tryToWrite(folder: string, bytes: number): Promise<void> {
  const path = join(folder, trialName);
  try {
    const file = await open(path, 'w');
    try {
      await file.writeFile(Buffer.alloc(bytes));
      await file.datasync();
    } finally {
      await file.close();
    }
  } finally {
    await rm(path, { force: true }).catch(() => {});
  }
}

/**
 * Makes the folder where it is missing, and LMDB's lock file in it. LMDB would make that without the room for what will
 * be in it, and end the process with SIGBUS where there is none.
 *
 * @throws what the system throws
 */
export async function makeLockFile(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await rm(join(folder, trialName), { force: true }).catch(() => {});
  const path = join(folder, lockName);
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  );
  // Added at its end, whoever else makes it just now: a longer one has room for more readers.
  if (size < lockBytes) await appendFile(path, Buffer.alloc(lockBytes - size), { flush: true });
}

/** @returns whether an error says that there is no room */
export function isFull(error: unknown): boolean {
  const why = failureOf(error);
  return why === 'full' || why === 'quota';
}

/** @returns a sentence for people */
export function whyNotWritten(folder: string, error: unknown): string {
  switch (failureOf(error)) {
    case 'full':
      return `no space is left on the disk of ${folder}`;
    case 'quota':
      return `the quota on the disk of ${folder} is used up`;
    case 'read-only':
      return `the disk of ${folder} is mounted read-only`;
    case 'fails':
      return `the disk of ${folder} fails (input/output error)`;
    case undefined:
      return `${folder} cannot be written: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function failureOf(error: unknown) {
  return failures.get(errnoOf(error));
}
