// Runs that end when and how a test says, in place of the sequence.

import type { CutOff } from '../../services/provisioner/run/cut-off.js';
import type { Interruption, Outcome } from '../../services/provisioner/run/outcome.js';
import type { RunProgress } from '../../services/provisioner/run/progress.js';
import type {
  Fetched,
  RunInProgress,
  RunResult,
  RunTask,
  StartRun,
} from '../../services/provisioner/run/run.js';
import { type BootId, newRunId, type RunId } from '../../shared/identity.js';

export class FakeRun implements RunInProgress {
  readonly runId: RunId = newRunId();
  readonly fence = 7n;
  progress: RunProgress = { step: undefined, wait: undefined, trouble: undefined };
  readonly task: RunTask;
  readonly finished: Promise<RunResult>;
  readonly interruptions: Interruption[] = [];
  settled = false;
  hurriedMs: number | undefined;
  bootId: BootId | undefined;
  ended = false;
  #end: (result: RunResult) => void = () => {};

  constructor(task: RunTask) {
    this.task = task;
    this.finished = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  interrupt(cause: Interruption): void {
    this.interruptions.push(cause);
  }

  settle(): void {
    this.settled = true;
  }

  hurry(graceMs: number): void {
    this.hurriedMs = graceMs;
  }

  /** Ends the run. Its effects are there once promises have settled. */
  end(outcome: Outcome, fetched?: Fetched, cutOff?: CutOff): void {
    this.ended = true;
    const lastStep = this.progress.step;
    this.#end({ runId: this.runId, outcome, fetched, cutOff, durationMs: 5, lastStep });
  }
}

export class FakeRuns {
  /** All that were ever started, oldest first. */
  readonly all: FakeRun[] = [];

  readonly start: StartRun = (task) => {
    const run = new FakeRun(task);
    this.all.push(run);
    return run;
  };

  /** Those that go on. */
  get open(): FakeRun[] {
    return this.all.filter((run) => !run.ended);
  }

  /** The last that was started. */
  get last(): FakeRun {
    const run = this.all.at(-1);
    if (run === undefined) throw new Error('no run was started');
    return run;
  }
}
