// The long-lived programs that there are: as many as were ever asked at once, started when they are needed. Who asks
// sees to it that they are not too many.

import { type Clock, sleep } from '../../../../shared/clock.js';
import { launch } from '../spawner/launch.js';
import type { PipePool } from '../spawner/pipes.js';
import type { Setup } from '../spawner/protocol.js';
import type { Groups, Program, ProgramEvents, ProgramSource } from '../spawner/source.js';
import { Asking, type Coprocesses } from './asking.js';
import { Coprocess } from './coprocess.js';
import { turn } from './turn.js';

/**
 * How long a program is left alone after its answer. What it writes meanwhile is out of turn; once it has been asked
 * again, nobody could tell that from the next answer. It bounds one program to 500 answers a second.
 */
const restMs = 2;

export class CoprocessPool implements ProgramSource, Coprocesses {
  readonly #setup: Setup;
  readonly #pipes: PipePool;
  readonly #clock: Clock;
  readonly #groups: Groups;
  readonly #all = new Set<Coprocess>();
  /** The one that has rested for longest first. */
  readonly #resting: Coprocess[] = [];
  /** One is started after the other, so that they share what it takes to make pipes. */
  #lastStart: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  #onEmpty: () => void = () => {};

  constructor(setup: Setup, pipes: PipePool, clock: Clock, groups: Groups) {
    this.#setup = setup;
    this.#pipes = pipes;
    this.#clock = clock;
    this.#groups = groups;
  }

  async start(input: Buffer, events: ProgramEvents): Promise<Program> {
    return new Asking(this, input, this.#setup.timeoutMs, this.#clock, events);
  }

  async take(): Promise<Coprocess> {
    for (;;) {
      const next = this.#resting.shift();
      if (next === undefined) return this.takeFresh();
      const left = next.answeredAt + restMs - this.#clock.monotonic();
      if (left > 0) await sleep(this.#clock, left);
      // It may have ended, or spoken, and nobody has looked yet.
      await turn();
      if (next.isReady) return next;
    }
  }

  takeFresh(): Promise<Coprocess> {
    const started = this.#lastStart.then(() => this.#launch());
    this.#lastStart = started.catch(() => {});
    return started;
  }

  putBack(coprocess: Coprocess): void {
    if (coprocess.isReady) this.#resting.push(coprocess);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#lastStart;
    await new Promise<void>((resolve) => {
      this.#onEmpty = resolve;
      for (const coprocess of this.#all) coprocess.letGo();
      if (this.#all.size === 0) resolve();
    });
  }

  async #launch(): Promise<Coprocess> {
    if (this.#isClosed) throw new Error('no program is started any more');
    const launched = await launch(this.#setup, await this.#pipes.take());
    const { pid } = launched;
    const coprocess = new Coprocess(launched, this.#setup, this.#clock, (loss) => {
      this.#all.delete(coprocess);
      this.#groups.gone(pid, loss);
      if (this.#all.size === 0) this.#onEmpty();
    });
    this.#all.add(coprocess);
    this.#groups.started(pid);
    return coprocess;
  }
}
