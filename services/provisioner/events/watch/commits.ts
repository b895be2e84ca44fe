// Waiting for the log to go on. All who wait are woken together: at once where little happens, and where much does a
// few times a second, for each message to each of many has its price.

import type { Clock } from '../../../../shared/clock.js';
import { Waiters } from '../../../../shared/replay-log/waiters.js';
import type { EventLogReader } from './log-reader.js';

/** Bounds of the time from one waking to the next, and what each who waits adds to it: milliseconds. */
const pace = { least: 100, most: 500, each: 2.5 } as const;

/**
 * A message with all that happened in a while costs little more than one with a part of it: the more who are told, the
 * more goes into each.
 *
 * @returns milliseconds from one waking of so many to the next, at least
 */
export function paceMs(waiting: number): number {
  return Math.min(Math.max(pace.least, pace.each * waiting), pace.most);
}

/** One for all watches of a log. */
export class Commits {
  readonly #clock: Clock;
  readonly #waiters: Waiters;
  readonly #off: () => void;
  #wokenAt = Number.NEGATIVE_INFINITY;

  constructor(log: EventLogReader, clock: Clock) {
    this.#clock = clock;
    this.#waiters = new Waiters((run) => this.#inTime(run));
    this.#off = log.onCommitted(() => this.#waiters.wake());
  }

  /**
   * Resolves after the next commit, or when so many milliseconds are over.
   *
   * @throws the signal's reason once it is aborted
   */
  next(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      const over = () => {
        this.#waiters.remove(over);
        timer.cancel();
        signal.removeEventListener('abort', over);
        if (signal.aborted) reject(signal.reason);
        else resolve();
      };
      const timer = this.#clock.setTimer(ms, over);
      signal.addEventListener('abort', over, { once: true });
      this.#waiters.add(over);
    });
  }

  close(): void {
    this.#off();
  }

  #inTime(run: () => void): void {
    const wake = () => {
      this.#wokenAt = this.#clock.monotonic();
      run();
    };
    const left = this.#wokenAt + paceMs(this.#waiters.size) - this.#clock.monotonic();
    if (left <= 0) setImmediate(wake);
    else this.#clock.setTimer(left, wake);
  }
}
