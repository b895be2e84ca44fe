// An orderly end: named phases, one after the other, within one span of time. What a phase does is the
// matter of whoever adds it.

import { type Clock, systemClock } from './clock.js';
import type { Logger } from './logger.js';

/** Does one phase. @param leftMs the time that it has, in milliseconds: then it is left to itself */
export type Phase = (leftMs: number) => void | Promise<void>;

/** What a phase has at least, however long those before it took: milliseconds. */
const leastMs = 500;

export class Phases {
  readonly #clock: Clock;
  readonly #phases: { readonly name: string; readonly run: Phase }[] = [];
  #running: Promise<readonly string[]> | undefined;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /** Adds a phase after those that are there. */
  add(name: string, run: Phase): this {
    this.#phases.push({ name, run });
    return this;
  }

  /**
   * Runs the phases in order. One that fails or takes too long is logged and does not keep the next from
   * running. Never rejects; a second call joins the first.
   *
   * @returns the names of the phases that did not end well
   */
  run(graceMs: number, log: Logger): Promise<readonly string[]> {
    this.#running ??= this.#runAll(this.#clock.monotonic() + graceMs, log);
    return this.#running;
  }

  async #runAll(end: number, log: Logger): Promise<readonly string[]> {
    const failed: string[] = [];
    for (const { name, run } of this.#phases) {
      const start = this.#clock.monotonic();
      const leftMs = Math.max(end - start, leastMs);
      try {
        const inTime = await this.#within(leftMs, run);
        const duration_ms = Math.round(this.#clock.monotonic() - start);
        if (inTime) log.debug({ phase: name, duration_ms }, 'shutdown phase done');
        else {
          failed.push(name);
          log.warn({ phase: name, duration_ms }, 'shutdown phase took too long and was left');
        }
      } catch (error) {
        failed.push(name);
        log.error({ phase: name, err: error }, 'shutdown phase failed');
      }
    }
    return failed;
  }

  /** @returns false where the time was over first */
  #within(ms: number, run: Phase): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const timer = this.#clock.setTimer(ms, () => resolve(false));
      const done = (async () => run(ms))();
      done.then(
        () => {
          timer.cancel();
          resolve(true);
        },
        (error: unknown) => {
          timer.cancel();
          reject(error);
        },
      );
    });
  }
}
