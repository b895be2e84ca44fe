// How fast things happen: means over the last minute, in constant time and memory however many there are.

import type { Clock } from '../../../shared/clock.js';

/** What is counted. */
export const rateNames = ['sightings', 'runs', 'provisioned', 'failed', 'confirmed'] as const;

export type RateName = (typeof rateNames)[number];

const windowSeconds = 60;

/** Counts over the last 60 seconds. */
export class Rates {
  readonly #clock: Clock;
  readonly #startedAt: number;
  /** For each name what was counted in each of the last 60 seconds; a second has the place of its number mod 60. */
  readonly #counts: Readonly<Record<RateName, Uint32Array>>;
  /** The second up to which places hold what they are for. */
  #second: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startedAt = clock.monotonic();
    this.#second = this.#now;
    const fresh = () => new Uint32Array(windowSeconds);
    this.#counts = {
      sightings: fresh(),
      runs: fresh(),
      provisioned: fresh(),
      failed: fresh(),
      confirmed: fresh(),
    };
  }

  count(name: RateName): void {
    this.#moveOn();
    const counts = this.#counts[name];
    const place = this.#second % windowSeconds;
    counts[place] = (counts[place] ?? 0) + 1;
  }

  /** Per second; over the time since the start where that is less than a minute, and never less than a second. */
  get perSecond(): Readonly<Record<RateName, number>> {
    this.#moveOn();
    const seconds = (this.#clock.monotonic() - this.#startedAt) / 1000;
    const over = Math.min(Math.max(seconds, 1), windowSeconds);
    const mean = (name: RateName) => this.#counts[name].reduce((sum, count) => sum + count, 0) / over;
    return {
      sightings: mean('sightings'),
      runs: mean('runs'),
      provisioned: mean('provisioned'),
      failed: mean('failed'),
      confirmed: mean('confirmed'),
    };
  }

  get #now(): number {
    return Math.floor(this.#clock.monotonic() / 1000);
  }

  /** Clears the places of the seconds that have begun since the last look. */
  #moveOn(): void {
    const now = this.#now;
    const first = Math.max(this.#second + 1, now - windowSeconds + 1);
    for (let second = first; second <= now; second++) {
      for (const name of rateNames) this.#counts[name][second % windowSeconds] = 0;
    }
    this.#second = now;
  }
}
