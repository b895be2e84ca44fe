// Room for what LMDB is about to write, taken in its file before it does. A write for which there is no room must not
// reach LMDB: it would say so in a text for which it has too little memory, which may end the process.

import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { type LogRecord, valueLength } from './record.js';
import type { Change } from './store.js';

/** How far LMDB's file is in use. */
export interface Extent {
  /** Pages are counted from 0. */
  readonly lastPage: number;
  readonly pageBytes: number;
}

/** The file grows by so much more than it must, so that it seldom has to. */
const spareBytes = 128 * 1024;
const zeros = Buffer.alloc(64 * 1024);

export class Reserve {
  readonly #path: string;
  #file: FileHandle | undefined;
  /** Bytes, at least: LMDB makes it longer and never shorter. */
  #size = 0;

  constructor(folder: string) {
    this.#path = join(folder, 'data.mdb');
  }

  /**
   * Sees to it that a change fits into the file, and that the disk takes anything at all.
   *
   * @throws what the system throws where not
   */
  async take({ lastPage, pageBytes }: Extent, change: Change): Promise<void> {
    const file = await this.#opened();
    const end = (lastPage + 1) * pageBytes;
    const needed = end + pagesFor(change, { lastPage, pageBytes }) * pageBytes;
    if (this.#size < needed) await this.#grow(file, needed);
    // Of a page that is not in use. A disk that was mounted read-only, or has failed, says so here.
    await file.write(zeros, 0, 1, end);
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }

  async #opened(): Promise<FileHandle> {
    if (this.#file !== undefined) return this.#file;
    const file = await open(this.#path, 'r+');
    this.#file = file;
    this.#size = (await file.stat()).size;
    return file;
  }

  async #grow(file: FileHandle, needed: number): Promise<void> {
    // Behind all that LMDB has written, which may be more than there was room for.
    const before = (await file.stat()).size;
    const target = needed + spareBytes;
    let size = before;
    try {
      while (size < target) {
        const { bytesWritten } = await file.write(zeros, 0, Math.min(zeros.length, target - size), size);
        size += bytesWritten;
      }
    } catch (error) {
      if (size < needed) {
        // What is left on the disk is not kept from others who may do with it.
        await file.truncate(before).catch(() => {});
        throw error;
      }
    }
    this.#size = size;
  }
}

/** Pages of which something is always written anew: roots, branches, lists of free pages. */
const fixedPages = 16;
/** What the fewest events take that are written at once, and a single one as well: a log does not fail and go on in turns. */
const leastPages = 64;

/** The most pages that a change can add to the file, about: those that it touches are written to other places. */
export function pagesFor({ added, removed }: Change, { lastPage, pageBytes }: Extent): number {
  const records = added.length + removed.length;
  // Of a record one in the events and one in a timeline, but never more than there are.
  const touched = Math.min(2 * records, lastPage);
  const values = added.reduce((sum, record) => sum + pagesOf(record, pageBytes), 0);
  return Math.max(leastPages, fixedPages + touched + Math.ceil(values + records / 16));
}

/** What a value takes, where pages that were split are as empty as that leaves them; large ones have pages of their own. */
function pagesOf(record: LogRecord, pageBytes: number): number {
  const bytes = valueLength(record) + 32;
  if (bytes > pageBytes / 2) return 1 + Math.ceil(bytes / pageBytes);
  const fitIn = Math.floor(pageBytes / bytes);
  return 1 / Math.floor((fitIn + 1) / 2);
}
