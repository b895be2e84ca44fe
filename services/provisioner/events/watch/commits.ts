// Waiting for the log to go on.

import type { Clock } from '../../../../shared/clock.js';
import { type Schedule, Waiters } from '../../../../shared/replay-log/waiters.js';
import type { EventLogReader } from './log-reader.js';

export class Commits {
  readonly #clock: Clock;
  readonly #waiters: Waiters;
  readonly #off: () => void;

  constructor(log: EventLogReader, clock: Clock, schedule: Schedule = setImmediate) {
    this.#clock = clock;
    this.#waiters = new Waiters(schedule);
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
}
