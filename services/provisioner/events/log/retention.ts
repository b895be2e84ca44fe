// What is too old, or too much, to be kept.

import { lastOf, type StoredRecord } from './record.js';
import type { LogStore } from './store.js';

export interface RetentionLimits {
  /** Events that are kept at most. */
  readonly maxCount: number;
  /** How long events are kept, milliseconds. */
  readonly maxAgeMs: number;
}

/** A log that is full loses as many as it gains, few at a time: not many more are read for that. */
const readFirst = 16;

export class Retention {
  readonly #limits: RetentionLimits;
  readonly #store: LogStore;
  /** The oldest that is kept, as far as it was looked at. */
  #oldest: StoredRecord | undefined;

  constructor(store: LogStore, limits: RetentionLimits) {
    this.#store = store;
    this.#limits = limits;
  }

  /**
   * What is to be removed now, oldest first: a part where it is a lot, so that removing it delays nobody.
   *
   * @param now Unix milliseconds
   * @param most records that are removed at once
   */
  expired(now: number, most: number): readonly StoredRecord[] {
    const { removed, last } = this.#store;
    if (last === removed) return [];
    if (this.#oldest === undefined || lastOf(this.#oldest.item) <= removed) {
      this.#oldest = this.#store.read(removed + 1, 1)[0];
    }
    if (this.#oldest === undefined || !this.#isExpired(this.#oldest, now)) return [];
    const expired: StoredRecord[] = [];
    let from = removed + 1;
    for (let size = readFirst; expired.length < most; size *= 2) {
      const records = this.#store.read(from, Math.min(size, most - expired.length));
      for (const record of records) {
        if (!this.#isExpired(record, now)) return expired;
        expired.push(record);
        from = lastOf(record.item) + 1;
      }
      if (records.length < size) return expired;
    }
    return expired;
  }

  #isExpired({ item, at }: StoredRecord, now: number): boolean {
    const { maxCount, maxAgeMs } = this.#limits;
    return lastOf(item) <= this.#store.last - maxCount || at < now - maxAgeMs;
  }
}
