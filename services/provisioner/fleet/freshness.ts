// When a sighting is too old to act on (design, section 5): judged by the provisioner's own monotonic
// clock, and not at all while discovery could not have told.

import type { Clock } from '../../../shared/clock.js';

export class Freshness {
  readonly #clock: Clock;
  readonly #ownIntervalMs: number;
  readonly #intervals = new Map<string, number>();
  readonly #watching = new Set<string>();
  #lastSyncedAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, ownIntervalMs: number) {
    this.#clock = clock;
    this.#ownIntervalMs = ownIntervalMs;
  }

  /** The greatest of the own interval and those that discovery services said, milliseconds. */
  get intervalMs(): number {
    return Math.max(this.#ownIntervalMs, ...this.#intervals.values());
  }

  /** A watch has all that was there: it now follows. */
  synced(discovery: string, intervalMs: number): void {
    this.#intervals.set(discovery, intervalMs);
    this.#watching.add(discovery);
    this.#lastSyncedAt = this.#clock.monotonic();
  }

  /** A watch has ended. */
  lost(discovery: string): void {
    this.#watching.delete(discovery);
  }

  /**
   * @param sightedAt monotonic milliseconds
   * @returns whether a node was last sighted longer ago than twice the interval, where that can be judged
   */
  isStale(sightedAt: number): boolean {
    if (this.#watching.size === 0) return false;
    const now = this.#clock.monotonic();
    if (now - this.#lastSyncedAt < this.intervalMs) return false;
    return now - sightedAt > 2 * this.intervalMs;
  }
}
