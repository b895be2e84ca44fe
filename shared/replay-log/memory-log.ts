// A replay log in memory: a ring that keeps the newest entries.

import { type Batch, type Cursor, defaultBatch, OutOfRangeError, type ReplayLog } from './replay-log.js';
import { type Schedule, Waiters } from './waiters.js';

export class MemoryLog<T> implements ReplayLog<T> {
  readonly #capacity: number;
  readonly #waiters: Waiters;
  /** The entry with revision r stands at (r - 1) % capacity. */
  readonly #ring: T[] = [];
  #last = 0;

  /** @param capacity the entries that are kept, at least 1 */
  constructor(capacity: number, schedule?: Schedule) {
    if (!Number.isInteger(capacity) || capacity < 1) throw new RangeError(`capacity ${capacity}`);
    this.#capacity = capacity;
    this.#waiters = new Waiters(schedule);
  }

  get first(): number {
    return this.#last - this.#ring.length + 1;
  }

  get last(): number {
    return this.#last;
  }

  /** How many cursors wait for an entry. */
  get waiting(): number {
    return this.#waiters.size;
  }

  /** Adds an entry, in constant time, and wakes the readers. @returns its revision */
  append(value: T): number {
    this.#ring[this.#last % this.#capacity] = value;
    this.#last++;
    this.#waiters.wake();
    return this.#last;
  }

  cursor(after: number): Cursor<T> {
    this.#check(after);
    return new MemoryCursor<T>(after, (position, signal, max) => this.#read(position, signal, max));
  }

  async #read(after: number, signal: AbortSignal, max: number): Promise<Batch<T>> {
    signal.throwIfAborted();
    this.#check(after);
    while (after === this.#last) {
      await this.#waiters.wait(signal);
      this.#check(after);
    }
    const last = Math.min(this.#last, after + Math.max(max, 1));
    return { first: after + 1, last, values: this.#slice(after, last) };
  }

  /** The values of revisions above `after` up to `last`. */
  #slice(after: number, last: number): T[] {
    const start = after % this.#capacity;
    const end = start + (last - after);
    if (end <= this.#capacity) return this.#ring.slice(start, end);
    return [...this.#ring.slice(start), ...this.#ring.slice(0, end - this.#capacity)];
  }

  #check(after: number): void {
    if (!Number.isInteger(after) || after < this.first - 1 || after > this.#last) {
      throw new OutOfRangeError(after, this);
    }
  }
}

type Read<T> = (after: number, signal: AbortSignal, max: number) => Promise<Batch<T>>;

class MemoryCursor<T> implements Cursor<T> {
  readonly #read: Read<T>;
  #position: number;

  constructor(position: number, read: Read<T>) {
    this.#position = position;
    this.#read = read;
  }

  get position(): number {
    return this.#position;
  }

  async next(signal: AbortSignal, max: number = defaultBatch): Promise<Batch<T>> {
    const batch = await this.#read(this.#position, signal, max);
    this.#position = batch.last;
    return batch;
  }
}
