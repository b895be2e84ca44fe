// Waiting for the log to go on. All who wait are woken together: at once where little happens, and where much does a
// few times a second, for each message to each of many has its price.

import type { Clock } from '../../../../shared/clock.js';
import { Waiters } from '../../../../shared/replay-log/waiters.js';
import type { EventLogReader } from './log-reader.js';

/** From one waking to the next, at least: milliseconds. */
export const paceMs = 100;

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
  async next(ms: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const over = new AbortController();
    const stop = () => over.abort();
    const timer = this.#clock.setTimer(ms, stop);
    signal.addEventListener('abort', stop, { once: true });
    await this.#waiters.wait(over.signal).catch(() => {});
    signal.removeEventListener('abort', stop);
    timer.cancel();
    signal.throwIfAborted();
  }

  close(): void {
    this.#off();
  }

  #inTime(run: () => void): void {
    const wake = () => {
      this.#wokenAt = this.#clock.monotonic();
      run();
    };
    const left = this.#wokenAt + paceMs - this.#clock.monotonic();
    if (left <= 0) setImmediate(wake);
    else this.#clock.setTimer(left, wake);
  }
}
