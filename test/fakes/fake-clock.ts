// A clock that moves only when a test says so.

import type { Clock, Timer } from '../../shared/clock.js';

interface Pending {
  readonly at: number;
  readonly order: number;
  readonly callback: () => void;
}

export class FakeClock implements Clock {
  #monotonic = 0;
  #wall: number;
  #order = 0;
  readonly #pending = new Set<Pending>();
  /** Lets what was started come to an end before time moves on: more than promises, where work takes a moment. */
  settled: () => Promise<void> = settle;

  constructor(wall = Date.UTC(2030, 0, 1)) {
    this.#wall = wall;
  }

  now(): number {
    return this.#wall;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  setTimer(ms: number, callback: () => void): Timer {
    const entry: Pending = { at: this.#monotonic + Math.max(ms, 0), order: this.#order++, callback };
    this.#pending.add(entry);
    return { cancel: () => this.#pending.delete(entry) };
  }

  /** How many timers wait. */
  get pendingTimers(): number {
    return this.#pending.size;
  }

  /** Moves time on, firing timers in order, and lets promises settle after each. */
  async advance(ms: number): Promise<void> {
    const end = this.#monotonic + ms;
    for (;;) {
      await this.settled();
      const next = this.#earliest(end);
      if (next === undefined) break;
      this.#pending.delete(next);
      this.#moveTo(Math.max(next.at, this.#monotonic));
      next.callback();
    }
    this.#moveTo(end);
    await this.settled();
  }

  /** Moves the wall clock alone, as an operator or NTP does. */
  jumpWall(ms: number): void {
    this.#wall += ms;
  }

  #moveTo(monotonic: number): void {
    this.#wall += monotonic - this.#monotonic;
    this.#monotonic = monotonic;
  }

  #earliest(end: number): Pending | undefined {
    let found: Pending | undefined;
    for (const entry of this.#pending) {
      if (entry.at > end) continue;
      if (
        found === undefined ||
        entry.at < found.at ||
        (entry.at === found.at && entry.order < found.order)
      ) {
        found = entry;
      }
    }
    return found;
  }
}

/** Lets every promise that can settle do so. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
