// One input on its way to an answer: asks a long-lived program that is ready, and another where that one turns out to
// have ended before it was asked. The time limit is the input's, over both and over their start.

import type { Clock } from '../../../../shared/clock.js';
import { notStarted } from '../spawner/launch.js';
import type { ProgramReport } from '../spawner/protocol.js';
import type { Program, ProgramEvents } from '../spawner/source.js';
import type { Coprocess } from './coprocess.js';

/** Where long-lived programs come from. */
export interface Coprocesses {
  /**
   * Gives one that is ready, started where there is none.
   *
   * @throws the system's error where it cannot be started
   */
  take(): Promise<Coprocess>;
  /** As take(), and one that has just been started. */
  takeFresh(): Promise<Coprocess>;
  /** Takes it back, whether it is of use or not. */
  putBack(coprocess: Coprocess): void;
}

export class Asking implements Program {
  readonly #coprocesses: Coprocesses;
  readonly #line: Buffer;
  readonly #events: ProgramEvents;
  #coprocess: Coprocess | undefined;
  #release: ((fits: boolean) => void) | undefined;
  /** Why no answer is wanted any more. */
  #stop: 'TIMED_OUT' | 'KILLED' | undefined;

  constructor(
    coprocesses: Coprocesses,
    line: Buffer,
    timeoutMs: number,
    clock: Clock,
    events: ProgramEvents,
  ) {
    this.#coprocesses = coprocesses;
    this.#line = line;
    this.#events = events;
    const timer = clock.setTimer(timeoutMs, () => this.#stopFor('TIMED_OUT'));
    void this.#ask().then((report) => {
      timer.cancel();
      events.ended(report, this.#release);
    });
  }

  kill(): void {
    this.#stopFor('KILLED');
  }

  pause(): void {
    this.#coprocess?.pause();
  }

  resume(): void {
    this.#coprocess?.resume();
  }

  #stopFor(why: 'TIMED_OUT' | 'KILLED'): void {
    this.#stop ??= why;
    this.#coprocess?.kill(why);
  }

  async #ask(): Promise<ProgramReport> {
    try {
      const first = await this.#askOne(await this.#coprocesses.take());
      if (!first.mayNotHaveHeard) return first.report;
      const second = await this.#askOne(await this.#coprocesses.takeFresh());
      return second.report;
    } catch (error) {
      return notStarted(error);
    }
  }

  async #askOne(coprocess: Coprocess) {
    if (this.#stop !== undefined) {
      this.#coprocesses.putBack(coprocess);
      return { report: stopped(this.#stop), mayNotHaveHeard: false };
    }
    this.#coprocess = coprocess;
    const outcome = await coprocess.ask(this.#line, (chunk) => this.#events.output(chunk));
    this.#coprocess = undefined;
    if (outcome.report.end.how === 'ANSWERED') {
      this.#release = (fits) => {
        if (fits) this.#coprocesses.putBack(coprocess);
        else coprocess.kill('KILLED');
      };
    }
    return outcome;
  }
}

function stopped(how: 'TIMED_OUT' | 'KILLED'): ProgramReport {
  const end = how === 'TIMED_OUT' ? { how, answered: 0 } : { how };
  return { end, stderr: '', stderrBytes: 0 };
}
