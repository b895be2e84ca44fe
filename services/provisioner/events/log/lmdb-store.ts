// The log's records in LMDB. What is there when it is opened, and whether it may be, is the matter of open.ts.

import { type Database, open, type RootDatabase } from 'lmdb';
import type { LogItem } from '../watch/log-reader.js';
import { whyNotWritten } from './disk.js';
import type { LogOrigin } from './origin.js';
import {
  firstOf,
  gapValue,
  type LogRecord,
  lastOf,
  RecordError,
  readRecord,
  type StoredRecord,
} from './record.js';
import { type Extent, Reserve } from './reserve.js';
import { type Change, type LogStore, type NumberSpan, StoreError } from './store.js';

/** A node's identity, or nothing for gaps, and a number. */
type TimelineKey = [identity: string, number: number];

interface Tables {
  readonly root: RootDatabase<Buffer, string>;
  readonly events: Database<Buffer, number>;
  readonly timelines: Database<Buffer, TimelineKey>;
}

/** Address space, of which no memory is taken; it grows where that is too little. */
const mapBytes = 4 * 1024 ** 3;
const present = Buffer.from([1]);

/** The file, before anything in it is believed. */
export class LmdbFile {
  readonly folder: string;
  readonly root: RootDatabase<Buffer, string>;

  /** @throws what LMDB throws where it is none of its files */
  constructor(folder: string) {
    this.folder = folder;
    // Committed means synced, and what is written together is one transaction.
    const safety = { overlappingSync: false, eventTurnBatching: false } as const;
    this.root = open({ path: folder, noSubdir: false, encoding: 'binary', mapSize: mapBytes, ...safety });
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

  /** Whether nothing was ever written to it. */
  get isEmpty(): boolean {
    return this.root.getKeysCount() === 0;
  }

  /**
   * Whether a process that lives has it open. Marks it as open from then on.
   *
   * LMDB keeps a table of readers, with a lock that the system takes from a process that dies.
   */
  isTaken(): boolean {
    if (readersOf(this.root) > 0) return true;
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

export class LmdbStore implements LogStore {
  readonly logId: string;
  readonly #folder: string;
  /** Undefined where the file is to be opened again. */
  #opened: { readonly file: LmdbFile; readonly tables: Tables } | undefined;
  #removed: number;
  #last: number;
  readonly #reserve: Reserve;
  /** Whether LMDB was given something and has not said that it was written. */
  #mayBeBroken = false;

  /** @throws RecordError where its ends are no records */
  constructor(file: LmdbFile, logId: string) {
    const tables = file.tables();
    this.logId = logId;
    this.#folder = file.folder;
    this.#opened = { file, tables };
    this.#reserve = new Reserve(file.folder);
    const { root, events } = tables;
    this.#removed = Number(root.get('removed')?.toString() ?? 0);
    const [newest] = this.#records(events.getRange({ reverse: true, limit: 1 }));
    this.#last = newest === undefined ? this.#removed : lastOf(newest.item);
    this.read(this.#removed + 1, 1);
  }

  get removed(): number {
    return this.#removed;
  }

  get last(): number {
    return this.#last;
  }

  read(from: number, max: number): StoredRecord[] {
    const { events } = this.#tables;
    const records = this.#records(events.getRange({ start: from, limit: max }));
    if (records[0] !== undefined && firstOf(records[0].item) === from) return records;
    const [before] = this.#records(events.getRange({ start: from, reverse: true, limit: 1 }));
    if (before === undefined || lastOf(before.item) < from) return records;
    return [before, ...records].slice(0, max);
  }

  record(first: number): StoredRecord | undefined {
    const value = this.#tables.events.get(first);
    return value && readRecord(first, value);
  }

  *numbers(identity: string, { order, from, max }: NumberSpan): Iterable<number> {
    const reverse = order === 'NEWEST_FIRST';
    const end: TimelineKey = [identity, reverse ? 0 : Number.MAX_SAFE_INTEGER];
    const start: TimelineKey = [identity, from];
    for (const { key } of this.#tables.timelines.getRange({ start, end, reverse, limit: max })) yield key[1];
  }

  async write(change: Change): Promise<void> {
    const { added, removed } = change;
    try {
      if (this.#mayBeBroken) await this.#reopen();
      const { file, tables } = this.#usable;
      await this.#reserve.take(file.extent, change);
      this.#mayBeBroken = true;
      await committed(tables.root.batch(() => put(tables, added, removed)));
      this.#mayBeBroken = false;
    } catch (error) {
      if (error instanceof StoreError) throw error;
      throw new StoreError(whyNotWritten(this.#folder, error), { cause: error });
    }
    this.#removed = endOf(removed) ?? this.#removed;
    const newest = added.at(-1);
    if (newest !== undefined) this.#last = lastOf(newest);
  }

  /**
   * Reads all there is.
   *
   * @throws RecordError where something of it is missing or is no record
   */
  verify(): void {
    const { events, timelines } = this.#tables;
    let at = this.#removed;
    let inTimelines = 0;
    for (const { key, value } of events.getRange()) {
      if (key !== at + 1) throw new RecordError(`event ${at + 1} is missing`);
      const { item } = readRecord(key, value);
      at = lastOf(item);
      if (timelineOf(item) !== undefined) inTimelines += 1;
    }
    for (const { key } of timelines.getRange()) {
      const sequence = Array.isArray(key) ? key[1] : 0;
      if (sequence <= this.#removed || sequence > at)
        throw new RecordError('a timeline has an event too much');
      inTimelines -= 1;
    }
    if (inTimelines !== 0) throw new RecordError('events and timelines do not fit together');
  }

  async close(): Promise<void> {
    await this.#reserve.close();
    await this.#closeFile();
  }

  get #usable(): { readonly file: LmdbFile; readonly tables: Tables } {
    if (this.#opened === undefined) throw new StoreError(`${this.#folder} is not open`);
    return this.#opened;
  }

  get #tables(): Tables {
    return this.#usable.tables;
  }

  async #closeFile(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    await opened?.file.close();
  }

  /**
   * Where LMDB could not write one of the pages that describe the file it takes nothing more, and does not even say so
   * of what it is given after that.
   */
  async #reopen(): Promise<void> {
    await this.#closeFile();
    const file = new LmdbFile(this.#folder);
    try {
      // Marks it as open again, too.
      if (file.isTaken()) throw new StoreError(`${this.#folder} is open in another process`);
      this.#opened = { file, tables: file.tables() };
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  #records(entries: Iterable<{ key: number; value: Buffer }>): StoredRecord[] {
    return Array.from(entries, ({ key, value }) => readRecord(key, value));
  }
}

function put({ root, events, timelines }: Tables, added: Change['added'], removed: Change['removed']): void {
  for (const { item } of removed) {
    ignore(events.remove(firstOf(item)));
    const key = timelineOf(item);
    if (key !== undefined) ignore(timelines.remove(key));
  }
  for (const record of added) {
    ignore(events.put(firstOf(record), storedValue(record)));
    const key = timelineOf(record);
    if (key !== undefined) ignore(timelines.put(key, present));
  }
  const end = endOf(removed);
  if (end !== undefined) ignore(root.put('removed', Buffer.from(String(end))));
}

/** @returns undefined for events of no one node */
function timelineOf(record: LogRecord | LogItem): TimelineKey | undefined {
  if (record.kind === 'GAP') return ['', record.first];
  const { identity } = 'header' in record ? record.header : record;
  return identity === '' ? undefined : [identity, record.sequence];
}

function storedValue(record: LogRecord): Buffer {
  return record.kind === 'GAP' ? gapValue(record) : record.value;
}

function endOf(records: readonly StoredRecord[]): number | undefined {
  const newest = records.at(-1);
  return newest && lastOf(newest.item);
}

/** Writes of a batch promise nothing of their own: the batch does. */
function ignore(_written: Promise<boolean>): void {}

/** @throws what went wrong, which LMDB tells by a second promise */
async function committed(batch: Promise<boolean>): Promise<void> {
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
