// Expiry of many leases without a timer for each and without looking at all of them: leases wait in buckets
// of a second. A lease that was renewed stays where it is until its bucket is due, and then moves on.

import type { Clock } from '../../../shared/clock.js';

/** What can expire. Only {@link Expiry} writes these. */
export interface Expiring {
  /** In the time of the Expiry. */
  expiresAt: number;
  /** The bucket that it waits in. */
  bucket: number;
}

/** The bucket of what waits in none. */
export const unscheduled = -1;

const bucketMs = 1000;

/** When this process was stopped or busy for longer, the time beyond it does not count. */
const longestStepMs = 5000;

export class Expiry<T extends Expiring> {
  readonly #clock: Clock;
  readonly #buckets = new Map<number, T[]>();
  #time = 0;
  #measuredAt: number;
  #done = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#measuredAt = clock.monotonic();
  }

  /** Lets the item expire in `ms` milliseconds, whenever it was to expire before. O(1). */
  schedule(item: T, ms: number): void {
    item.expiresAt = this.#now() + ms;
    this.#file(item);
  }

  /** Lets the item expire in `ms` milliseconds, or later where that was so before. */
  extend(item: T, ms: number): void {
    if (this.#now() + ms > item.expiresAt) this.schedule(item, ms);
  }

  /** @returns milliseconds until the item expires; negative where it is overdue */
  remaining(item: T): number {
    return item.expiresAt - this.#now();
  }

  /** The item does not expire any more. */
  cancel(item: T): void {
    item.bucket = unscheduled;
  }

  /**
   * Calls back with each item whose time has come, at most a second late. To be called about once a second:
   * if this process could not run for a while, nodes could not report either, and are not held to it.
   *
   * @param standsStill the time since the last call does not count: nodes could not get through
   */
  tick(expired: (item: T) => void, standsStill = false): void {
    if (!standsStill) this.#time = this.#now();
    this.#measuredAt = this.#clock.monotonic();
    const current = Math.floor(this.#time / bucketMs);
    while (this.#done < current) {
      this.#done++;
      const items = this.#buckets.get(this.#done);
      if (items === undefined) continue;
      this.#buckets.delete(this.#done);
      for (const item of items) this.#visit(item, expired);
    }
  }

  #visit(item: T, expired: (item: T) => void): void {
    if (item.bucket !== this.#done) return;
    item.bucket = unscheduled;
    if (item.expiresAt > this.#time) this.#file(item);
    else expired(item);
  }

  /** An item that now expires before its bucket is due is filed again; where it waited, it is not found. */
  #file(item: T): void {
    const bucket = Math.max(Math.ceil(item.expiresAt / bucketMs), this.#done + 1);
    if (item.bucket !== unscheduled && item.bucket <= bucket) return;
    item.bucket = bucket;
    const items = this.#buckets.get(bucket);
    if (items === undefined) this.#buckets.set(bucket, [item]);
    else items.push(item);
  }

  #now(): number {
    return this.#time + Math.min(this.#clock.monotonic() - this.#measuredAt, longestStepMs);
  }
}
