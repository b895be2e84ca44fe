// How long one kind of call takes that is made again and again.

import { rank } from '../statistics.js';

export interface Times {
  readonly count: number;
  readonly failed: number;
  /** Answered, but not within {@link answerMs}. */
  readonly late: number;
  /** Milliseconds, of those that were answered; 0 of none. */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Whoever asks is to have an answer within it: milliseconds. */
export const answerMs = 1_000;

export class ProbeTimes {
  readonly #call: () => Promise<unknown>;
  #times: number[] = [];
  #failed = 0;

  constructor(call: () => Promise<unknown>) {
    this.#call = call;
  }

  /** Makes the call, whatever became of the last one. */
  probe(): void {
    const began = performance.now();
    this.#call().then(
      () => this.#times.push(Math.round(performance.now() - began)),
      () => this.#failed++,
    );
  }

  /** @returns what was seen since this was last called */
  take(): Times {
    const [times, failed] = [this.#times, this.#failed];
    this.#times = [];
    this.#failed = 0;
    const at = (share: number) => rank(times, share) || 0;
    const late = times.filter((ms) => ms > answerMs).length;
    return { count: times.length + failed, failed, late, p50: at(0.5), p99: at(0.99), max: at(1) };
  }
}
