// When the log writes: at once where it was quiet, and else some time after its last write began, so that what happens
// meanwhile is written together. A write has a price of its own, however few events are in it.

import type { Clock } from '../../../../shared/clock.js';

export class Pace {
  readonly #clock: Clock;
  readonly #ms: number;
  #begunAt = Number.NEGATIVE_INFINITY;
  #hurry: (() => void) | undefined;

  /** @param ms from the begin of one write to that of the next, at least */
  constructor(clock: Clock, ms: number) {
    this.#clock = clock;
    this.#ms = ms;
  }

  /** Calls back when the next write is due, in another turn of the event loop. Only one waits at a time. */
  next(write: () => void): void {
    const begin = () => {
      this.#hurry = undefined;
      this.#begunAt = this.#clock.monotonic();
      write();
    };
    const left = this.#begunAt + this.#ms - this.#clock.monotonic();
    if (left <= 0) {
      setImmediate(begin);
      return;
    }
    const timer = this.#clock.setTimer(left, begin);
    this.#hurry = () => {
      timer.cancel();
      begin();
    };
  }

  /** What waits for its time has waited enough. */
  hurry(): void {
    this.#hurry?.();
  }
}
