// A beat that keeps its time: one timer, however much there is to do at each beat.

import type { Clock, Timer } from '../../../shared/clock.js';

export class Ticker {
  readonly #clock: Clock;
  readonly #periodMs: number;
  readonly #beat: () => void;
  readonly #mostMissed: number;
  #next: number;
  #timer: Timer | undefined;

  /** @param mostMissed beats that are made up for when this process could not run; those beyond are left out */
  constructor(clock: Clock, periodMs: number, mostMissed: number, beat: () => void) {
    this.#clock = clock;
    this.#periodMs = periodMs;
    this.#mostMissed = mostMissed;
    this.#beat = beat;
    this.#next = clock.monotonic() + periodMs;
  }

  start(): void {
    this.#next = this.#clock.monotonic() + this.#periodMs;
    this.#schedule();
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #schedule(): void {
    this.#timer = this.#clock.setTimer(this.#next - this.#clock.monotonic(), () => this.#fire());
  }

  #fire(): void {
    const due = Math.floor((this.#clock.monotonic() - this.#next) / this.#periodMs) + 1;
    for (let beat = 0; beat < Math.min(Math.max(due, 1), this.#mostMissed); beat++) this.#beat();
    this.#next += Math.max(due, 1) * this.#periodMs;
    this.#schedule();
  }
}
