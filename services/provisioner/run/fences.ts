// Fences: the numbers by which a node tells a newer run of its site from an older one (design, section 1).

import type { Clock } from '../../../shared/clock.js';

/** The greatest fence that the wire can carry. */
export const greatestFence = 2n ** 63n - 1n;

/** Hands out the fences of one process. */
export class Fences {
  readonly #clock: Clock;
  #last = 0n;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Unix milliseconds, or one more than the last where the clock has not moved on, or went back. */
  next(): bigint {
    const now = BigInt(Math.trunc(this.#clock.now()));
    this.#last = now > this.#last ? now : this.#last + 1n;
    return this.#last;
  }
}
