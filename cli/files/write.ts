// Writes files whole or not at all, and over others only where that was asked for.

import { randomUUID } from 'node:crypto';
import { lstat, open, rename, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { CommandError, UsageError } from '../command-error.js';

export interface NewFile {
  readonly path: string;
  readonly text: string;
  /** Private: 0600. Else 0644. */
  readonly isPrivate: boolean;
}

/**
 * Writes a file under another name, syncs it and puts it in its place, so that nobody ever reads half of it.
 *
 * @param force lets it replace a file that is there
 * @throws CommandError where there is one and `force` is false, or it cannot be written
 */
export async function writeWhole(file: NewFile, force: boolean): Promise<void> {
  const temporary = `${file.path}.${randomUUID()}`;
  let claimed = false;
  try {
    if (!force) await claim(file.path);
    claimed = !force;
    await writeSynced(temporary, file);
    await rename(temporary, file.path);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    // An empty file would be in the way of the next try, and be taken for a key.
    if (claimed) await rm(file.path, { force: true });
    throw new CommandError(`cannot write ${file.path}: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    });
  } finally {
    // What it was written for has failed or is done; either is what there is to tell.
    await rm(temporary, { force: true }).catch(() => {});
  }
}

/** Takes the name, so that nobody else's file is replaced by the rename that follows. */
async function claim(path: string): Promise<void> {
  try {
    await (await open(path, 'wx', 0o600)).close();
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    throw new CommandError(`${path} is there already and is left as it is; --force replaces it`);
  }
}

/**
 * A slip on the command line must not cost a key, whatever --force says.
 *
 * @throws UsageError where two of the files that a command reads and writes are the same
 */
export function refuseSame(paths: readonly (string | undefined)[]): void {
  const seen = new Set<string>();
  for (const path of paths) {
    if (path === undefined || path === '-') continue;
    const full = resolve(path);
    if (seen.has(full)) throw new UsageError(`${path} is named twice: each file must be another one`);
    seen.add(full);
  }
}

/**
 * For commands that write several files: nothing is written where one of them is in the way.
 *
 * @throws CommandError naming those that are there
 */
export async function refuseExisting(paths: readonly string[]): Promise<void> {
  const there: string[] = [];
  for (const path of paths) if (await exists(path)) there.push(path);
  if (there.length === 0) return;
  throw new CommandError(
    `${there.join(' and ')} ${there.length === 1 ? 'is' : 'are'} there already; nothing was changed (--force replaces files)`,
  );
}

/** @returns true also for what is no file */
async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

async function writeSynced(path: string, { text, isPrivate }: NewFile): Promise<void> {
  const mode = isPrivate ? 0o600 : 0o644;
  const handle = await open(path, 'wx', mode);
  try {
    // The process's umask may have taken bits away; what is public is meant to be.
    await handle.chmod(mode);
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
