// Those who ask for much take turns, so that many of them at once do not keep a service from its work, and from whoever
// asks for little: in each turn of the event loop they have little time together.

import type { Clock } from './clock.js';

/** Calls back soon, after whatever else waits to be done. */
export type Defer = (callback: () => void) => void;

/** Time for all of them in one turn of the event loop: milliseconds. */
const shareMs = 2;

/** One for all who ask for the same kind of thing. */
export class Turns {
  readonly #clock: Clock;
  readonly #defer: Defer;
  #waiting: (() => void)[] = [];
  #deferred = false;

  constructor(clock: Clock, defer: Defer = setImmediate) {
    this.#clock = clock;
    this.#defer = defer;
  }

  /**
   * Does a short piece of work when it is its turn: first come, first served.
   *
   * @throws what the work throws
   */
  take<T>(work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.push(() => {
        try {
          resolve(work());
        } catch (error) {
          reject(error);
        }
      });
      this.#next();
    });
  }

  #next(): void {
    if (this.#deferred || this.#waiting.length === 0) return;
    this.#deferred = true;
    this.#defer(() => {
      this.#deferred = false;
      this.#run();
      this.#next();
    });
  }

  #run(): void {
    const end = this.#clock.monotonic() + shareMs;
    const waiting = this.#waiting;
    let done = 0;
    for (const work of waiting) {
      work();
      done += 1;
      if (this.#clock.monotonic() >= end) break;
    }
    this.#waiting = waiting.slice(done);
  }
}
