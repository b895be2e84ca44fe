// The file of a log as LMDB has it: opened, and marked as open. What is in it is lmdb-store.ts's matter.

import { type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, open, type RootDatabase } from 'lmdb';
import type { LogOrigin } from './origin.js';
import type { Extent } from './reserve.js';

/** A node's identity, or nothing for gaps, and a number. */
export type TimelineKey = [identity: string, number: number];

export interface Tables {
  readonly root: RootDatabase<Buffer, string>;
  readonly events: Database<Buffer, number>;
  readonly timelines: Database<Buffer, TimelineKey>;
}

/** Address space, of which no memory is taken; it grows where that is too little. */
const mapBytes = 4 * 1024 ** 3;

/** The file, before anything in it is believed. */
export class LmdbFile {
  readonly folder: string;
  readonly root: RootDatabase<Buffer, string>;
  readonly #stats: Stats | undefined;

  /** @throws what LMDB throws where it is none of its files */
  constructor(folder: string) {
    this.folder = folder;
    // Committed means synced, and what is written together is one transaction.
    const safety = { overlappingSync: false, eventTurnBatching: false } as const;
    this.root = open({ path: folder, noSubdir: false, encoding: 'binary', mapSize: mapBytes, ...safety });
    this.#stats = statsIn(folder);
  }

  /** Of records, by number and by node; made where they are missing. */
  tables(): Tables {
    const events = this.root.openDB<Buffer, number>({ name: 'events', encoding: 'binary' });
    const timelines = this.root.openDB<Buffer, TimelineKey>({ name: 'timelines', encoding: 'binary' });
    return { root: this.root, events, timelines };
  }

  get extent(): Extent {
    const { pageSize, lastPageNumber } = this.root.getStats() as {
      readonly pageSize: number;
      readonly lastPageNumber: number;
    };
    return { lastPage: lastPageNumber, pageBytes: pageSize };
  }

  /** Whether opening it again would open the same one, and not what was put in its place. */
  get isInPlace(): boolean {
    const found = statsIn(this.folder);
    return found !== undefined && found.dev === this.#stats?.dev && found.ino === this.#stats.ino;
  }

  /** Whether nothing was ever written to it. */
  get isEmpty(): boolean {
    return this.root.getKeysCount() === 0;
  }

  /**
   * Whether another process that lives has it open. Marks it as open first: of two that look, one at least sees the other.
   *
   * LMDB keeps a table of readers, with a lock that the system takes from a process that dies.
   */
  isTaken(): boolean {
    this.root.get('origin');
    return readersOf(this.root) > 1;
  }

  /** @returns undefined where there is none, or none that makes sense */
  readOrigin(): LogOrigin | undefined {
    const value = this.root.get('origin');
    if (value === undefined) return undefined;
    try {
      return JSON.parse(value.toString()) as LogOrigin;
    } catch {
      return undefined;
    }
  }

  async writeOrigin(origin: LogOrigin): Promise<void> {
    await committed(this.root.batch(() => this.root.put('origin', Buffer.from(JSON.stringify(origin)))));
  }

  async close(): Promise<void> {
    await this.root.close();
  }
}

/**
 * Resolves when LMDB has written a batch.
 *
 * @throws what went wrong, which LMDB tells by a second promise
 */
export async function committed(batch: Promise<boolean>): Promise<void> {
  try {
    await batch;
  } catch (error) {
    if (error instanceof Error && 'commitError' in error) await error.commitError;
    throw error;
  }
}

/** Readers of the file, in this process or others that live. */
function readersOf(root: RootDatabase<Buffer, string>): number {
  root.readerCheck();
  return root
    .readerList()
    .split('\n')
    .filter((line) => /^\s*\d/.test(line)).length;
}

/** @returns undefined where there is none, or none that can be looked at */
function statsIn(folder: string): Stats | undefined {
  try {
    return statSync(join(folder, 'data.mdb'));
  } catch {
    return undefined;
  }
}
