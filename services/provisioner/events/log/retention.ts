// What is too old, or too much, to be kept.

import { lastOf, type StoredRecord } from './record.js';
import type { LogStore } from './store.js';

export interface RetentionLimits {
  /** Events that are kept at most. */
  readonly maxCount: number;
  /** How long events are kept, milliseconds. */
  readonly maxAgeMs: number;
}

/** The most that is removed at once, so that removing a lot delays nobody. */
const mostAtOnce = 1_000;

export class Retention {
  readonly #limits: RetentionLimits;
  readonly #store: LogStore;
  /** The oldest that is kept, as far as it was looked at. */
  #oldest: StoredRecord | undefined;

  constructor(store: LogStore, limits: RetentionLimits) {
    this.#store = store;
    this.#limits = limits;
  }

  /** What is to be removed now, oldest first: a part where it is a lot. @param now Unix milliseconds */
  expired(now: number): readonly StoredRecord[] {
    const { removed, last } = this.#store;
    if (last === removed) return [];
    if (this.#oldest === undefined || lastOf(this.#oldest.item) <= removed) {
      this.#oldest = this.#store.read(removed + 1, 1)[0];
    }
    if (this.#oldest === undefined || !this.#isExpired(this.#oldest, now)) return [];
    const records = this.#store.read(removed + 1, mostAtOnce);
    const kept = records.findIndex((record) => !this.#isExpired(record, now));
    return kept === -1 ? records : records.slice(0, kept);
  }

  #isExpired({ item, at }: StoredRecord, now: number): boolean {
    const { maxCount, maxAgeMs } = this.#limits;
    return lastOf(item) <= this.#store.last - maxCount || at < now - maxAgeMs;
  }
}
