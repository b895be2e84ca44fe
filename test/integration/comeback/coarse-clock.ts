// A clock for thousands of nodes: timers fall due together, in steps, and what follows from them is done before the next.

import { setImmediate as turn } from 'node:timers/promises';
import type { Clock, Timer } from '../../../shared/clock.js';

/** Milliseconds. */
const step = 20;

export class CoarseClock implements Clock {
  #now = 0;
  readonly #due = new Map<number, Set<() => void>>();

  now(): number {
    return 1_800_000_000_000 + this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  setTimer(ms: number, callback: () => void): Timer {
    const at = Math.floor((this.#now + Math.max(ms, 0)) / step) + 1;
    const due = this.#due.get(at) ?? new Set();
    this.#due.set(at, due);
    const run = () => callback();
    due.add(run);
    return { cancel: () => void due.delete(run) };
  }

  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    while (this.#now < end) {
      this.#now += step;
      const at = this.#now / step;
      const due = this.#due.get(at);
      if (due === undefined) continue;
      for (const run of due) run();
      this.#due.delete(at);
      await turn();
    }
  }
}
