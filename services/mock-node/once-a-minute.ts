// Warns of what may happen often: at once, then once a minute at most, with how often it happened meanwhile. Each time
// by itself is for the debug log.

import type { Clock } from '../../shared/clock.js';

/** How often it is said, at most: milliseconds. */
const everyMs = 60_000;

export class OnceAMinute {
  readonly #clock: Clock;
  readonly #warn: (message: string) => void;
  #unsaid = 0;
  #notBefore = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, warn: (message: string) => void) {
    this.#clock = clock;
    this.#warn = warn;
  }

  /**
   * It happened once more.
   *
   * @param say is given how often it happened since it was said last, this time included
   */
  count(say: (times: number) => string): void {
    this.#unsaid++;
    const now = this.#clock.monotonic();
    if (now < this.#notBefore) return;
    this.#warn(say(this.#unsaid));
    this.#unsaid = 0;
    this.#notBefore = now + everyMs;
  }
}
