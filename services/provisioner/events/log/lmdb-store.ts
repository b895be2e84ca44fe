// The log's records in LMDB. What is there when it is opened, and whether it may be, is the matter of open.ts.

import type { LogItem } from '../watch/log-reader.js';
import { whyNotWritten } from './disk.js';
import { committed, LmdbFile, type Tables, type TimelineKey } from './lmdb-file.js';
import {
  firstOf,
  gapValue,
  type LogRecord,
  lastOf,
  RecordError,
  readRecord,
  type StoredRecord,
} from './record.js';
import { Reserve } from './reserve.js';
import { type Change, type LogStore, type NumberSpan, StoreError } from './store.js';

const present = Buffer.from([1]);

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
  /** The last number that may be in the file: LMDB may have written what it was given, and not have said so. */
  #given: number;
  /** Whether another process had it open when it was opened again. */
  #mayBeTaken = false;
  /** Records that were read or written since the file was opened. */
  #touched = 0;

  /** @throws RecordError where its ends are no records */
  constructor(file: LmdbFile, logId: string) {
    const tables = file.tables();
    this.logId = logId;
    this.#folder = file.folder;
    this.#opened = { file, tables };
    this.#reserve = new Reserve(file.folder);
    this.#removed = removedIn(tables);
    this.#last = this.#lastIn(tables);
    this.#given = this.#last;
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
    this.#touched += 1;
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
    const newest = added.at(-1);
    try {
      if (this.#mayBeBroken) {
        await this.#reserve.close();
        await this.#reopen('CLOSE');
      }
      if (this.#mayBeTaken) this.#lookWhetherTaken();
      const { file, tables } = this.#usable;
      await this.#reserve.take(file.extent, change);
      this.#mayBeBroken = true;
      if (newest !== undefined) this.#given = Math.max(this.#given, lastOf(newest));
      await committed(tables.root.batch(() => put(tables, added, removed)));
      this.#mayBeBroken = false;
    } catch (error) {
      throw storeError(this.#folder, error);
    }
    this.#touched += added.length + removed.length;
    this.#removed = endOf(removed) ?? this.#removed;
    if (newest !== undefined) this.#last = lastOf(newest);
  }

  async refresh(touched: number): Promise<void> {
    if (this.#touched < touched || this.#mayBeBroken || !(await this.#canBeOpenedAgain())) return;
    this.#mayBeBroken = true;
    try {
      await this.#reopen('KEEP');
    } catch (error) {
      throw storeError(this.#folder, error);
    }
    this.#mayBeBroken = false;
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

  async #closeFile(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    await opened?.file.close();
  }

  get #usable(): { readonly file: LmdbFile; readonly tables: Tables } {
    if (this.#opened === undefined) throw new StoreError(`${this.#folder} is not open`);
    return this.#opened;
  }

  get #tables(): Tables {
    return this.#usable.tables;
  }

  /** A disk that takes nothing just now might not let the file be opened: what can still be read is kept open then. */
  async #canBeOpenedAgain(): Promise<boolean> {
    const { file } = this.#usable;
    if (!file.isInPlace) return false;
    // It may have been exchanged meanwhile.
    return this.#reserve.take(file.extent, { added: [], removed: [] }).then(
      () => file.isInPlace,
      () => false,
    );
  }

  /**
   * Where LMDB could not write one of the pages that describe the file it takes nothing more, and does not even say so
   * of what it is given after that. Where the disk was mounted anew meanwhile it is another file.
   *
   * From when the old one is closed to when the new one is open there is no more than promises that are kept already:
   * nothing else in this process runs in between. Another that starts may find it free just then, and look whether it
   * is sound. It goes away again if it sees that this one is still there: so what was ours until then is kept open.
   */
  async #reopen(whereTaken: 'CLOSE' | 'KEEP'): Promise<void> {
    await this.#closeFile();
    const file = new LmdbFile(this.#folder);
    try {
      this.#mayBeTaken = file.isTaken();
      if (this.#mayBeTaken && whereTaken === 'CLOSE') throw this.#taken();
      const tables = file.tables();
      this.#mustBeOurs(tables);
      this.#opened = { file, tables };
      this.#touched = 0;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** @throws StoreError where it is, or was and is not what it was */
  #lookWhetherTaken(): void {
    const { file, tables } = this.#usable;
    if (file.isTaken()) throw this.#taken();
    this.#mustBeOurs(tables);
    this.#mayBeTaken = false;
  }

  /** @throws StoreError where another process has written to it, or it is another: numbers would be given twice */
  #mustBeOurs(tables: Tables): void {
    const last = this.#lastIn(tables);
    if (last >= this.#last && last <= this.#given) return;
    throw new StoreError(`${this.#folder} was changed by others; start the provisioner again`);
  }

  #taken(): StoreError {
    return new StoreError(`${this.#folder} is open in another process`);
  }

  #lastIn(tables: Tables): number {
    const [newest] = this.#records(tables.events.getRange({ reverse: true, limit: 1 }));
    return newest === undefined ? removedIn(tables) : lastOf(newest.item);
  }

  #records(entries: Iterable<{ key: number; value: Buffer }>): StoredRecord[] {
    const records = Array.from(entries, ({ key, value }) => readRecord(key, value));
    this.#touched += records.length;
    return records;
  }
}

function removedIn({ root }: Tables): number {
  return Number(root.get('removed')?.toString() ?? 0);
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

function storeError(folder: string, error: unknown): StoreError {
  return error instanceof StoreError ? error : new StoreError(whyNotWritten(folder, error), { cause: error });
}
