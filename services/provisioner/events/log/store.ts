// Where the log's records lie, as the log needs it. It knows nothing of files: lmdb-store.ts does.

import type { Order } from '../watch/log-reader.js';
import type { LogRecord, StoredRecord } from './record.js';

/** One change of the log: all of it is kept, or none. */
export interface Change {
  readonly added: readonly LogRecord[];
  /** From the oldest on, without a hole. */
  readonly removed: readonly StoredRecord[];
}

export interface NumberSpan {
  readonly order: Order;
  /** The first number that counts. */
  readonly from: number;
  readonly max: number;
}

export interface LogStore {
  readonly logId: string;
  /** Number of the last event that was removed; 0 where none was. */
  readonly removed: number;
  /** Number of the last event that is kept or was removed; 0 where there was none. */
  readonly last: number;
  /** Records in order, from the one in which a number is, or the next. */
  read(from: number, max: number): StoredRecord[];
  /** The record that begins with a number; undefined where none does. */
  record(first: number): StoredRecord | undefined;
  /** Numbers of the events of one node; with '' as its identity, those with which gaps begin. */
  numbers(identity: string, span: NumberSpan): Iterable<number>;
  /**
   * Resolves when the change is on the disk.
   *
   * @throws StoreError where nothing of it was kept
   */
  write(change: Change): Promise<void>;
  /**
   * Gives back what the process holds of the file in memory, where so many records were read or written since it last
   * did: the system keeps mapped what was ever touched. To be called while nothing is written, and in a turn of the
   * event loop in which nothing else has run: whoever reads then does so before or after.
   *
   * @throws StoreError where the log cannot be read until a write succeeds
   */
  refresh(touched: number): Promise<void>;
  close(): Promise<void>;
}

/** The log could not be written. The message is a sentence for people. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly reason = 'LOG_NOT_WRITTEN';
}
