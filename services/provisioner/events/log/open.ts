// Opens the log in data_dir: a new one where there is none, and where what is there cannot be used, which is set aside
// and never written to. Only one process has it open.

import { randomUUID } from 'node:crypto';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../../../shared/clock.js';
import type { Logger } from '../../../../shared/logger.js';
import { StartError } from '../../../../shared/process/start-error.js';
import { isFull, makeLockFile, tryToWrite, whyNotWritten } from './disk.js';
import { checkFile } from './file-check.js';
import { readHead } from './head.js';
import { inspect as inspectApart } from './inspection/inspect.js';
import type { Verdict } from './inspection/verdict.js';
import { LmdbFile } from './lmdb-file.js';
import { LmdbStore } from './lmdb-store.js';
import { believableLogId, format, isDamage, UnusableError } from './origin.js';
import type { LogStore } from './store.js';

export interface OpenOptions {
  readonly dataDir: string;
  readonly site: string;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'warn' | 'info'>;
  /** Reads all of what is there. Default: a process of its own, which a damaged file may end. */
  readonly inspect?: (folder: string, site: string) => Promise<Verdict>;
}

const folderName = 'events';
/** What a new log takes, and some of what it takes soon. */
const newLogBytes = 256 * 1024;

/** @throws StartError where another process has it open, it cannot be looked at, or nothing can be kept there */
export async function openStore(options: OpenOptions): Promise<LogStore> {
  const { dataDir, log } = options;
  const folder = join(dataDir, folderName);
  try {
    return await openIn(folder, options);
  } catch (error) {
    if (error instanceof StartError) throw error;
    if (!isDamage(error)) throw notOpened(folder, error);
    const aside = await setAside(folder, options, error);
    log.warn(
      { folder, aside, why: messageOf(error) },
      'the event log cannot be used and was set aside; a new one begins, and its numbers start at 1',
    );
  }
  try {
    return await openIn(folder, options);
  } catch (error) {
    throw error instanceof StartError ? error : notOpened(folder, error);
  }
}

async function openIn(folder: string, options: OpenOptions): Promise<LogStore> {
  const { site, log, inspect = inspectApart } = options;
  const check = await checkFile(folder);
  if (check.kind === 'DAMAGED') throw new UnusableError(check.why);
  await makeLockFile(folder);
  // A file that is begun and not finished would be taken for a damaged one.
  if (check.kind === 'NEW') await tryToWrite(folder, newLogBytes);
  if (check.kind === 'USABLE') believe(await inspect(folder, site), folder);
  const file = new LmdbFile(folder);
  try {
    if (file.isTaken()) throw taken(folder);
    if (!file.isEmpty) return await resumed(file, options);
    const logId = randomUUID();
    await file.writeOrigin({ format, logId, site });
    log.info({ folder, log_id: logId }, 'a new event log begins');
    return new LmdbStore(file, logId);
  } catch (error) {
    await file.close();
    throw error;
  }
}

/**
 * A log that was further on once is an older copy. It goes on as another log, with the events that it has: numbers that it
 * gives again are told from those that were given before.
 *
 * @throws UnusableError; what the system throws where the new id cannot be written
 */
async function resumed(file: LmdbFile, { dataDir, site, log }: OpenOptions): Promise<LogStore> {
  const store = new LmdbStore(file, believableLogId(file.readOrigin(), site));
  const head = await readHead(dataDir);
  if (head?.logId !== store.logId || head.last <= store.last) return store;
  const { folder } = file;
  await tryToWrite(folder, newLogBytes);
  const logId = randomUUID();
  await file.writeOrigin({ format, logId, site });
  log.warn(
    { folder, last: store.last, was_at: head.last, log_id: logId },
    'the event log has fallen back, as an older copy that was put back does; it goes on under a new id, and subscribers start over',
  );
  return new LmdbStore(file, logId);
}

/** @throws UnusableError, StartError */
function believe(verdict: Verdict, folder: string): void {
  switch (verdict.kind) {
    case 'SOUND':
      return;
    case 'TAKEN':
      throw taken(folder);
    case 'UNUSABLE':
      throw new UnusableError(verdict.why);
  }
}

function notOpened(folder: string, error: unknown): StartError {
  const full = isFull(error);
  const why = full ? whyNotWritten(folder, error) : messageOf(error);
  const remedy = full ? 'make room' : 'mend that';
  return new StartError(
    `the event log in ${folder} cannot be opened: ${why}; ${remedy}, or set another data_dir`,
    { cause: error },
  );
}

function taken(folder: string): StartError {
  return new StartError(
    `the event log in ${folder} is open in another process; stop that one, or set another data_dir`,
  );
}

/** @returns where it is now */
async function setAside(folder: string, { clock }: OpenOptions, cause: unknown): Promise<string> {
  const time = new Date(clock.now()).toISOString().replaceAll(/[:.]/g, '-');
  const aside = `${folder}.damaged-${time}`;
  try {
    await rename(folder, aside);
  } catch (error) {
    const why = `the event log in ${folder} cannot be used: ${messageOf(cause)}`;
    throw new StartError(`${why}; nor can it be set aside: ${messageOf(error)}`, { cause: error });
  }
  return aside;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
