// Carries out runs: takes the steps of the sequence one after the other and turns whatever happens into one
// outcome. When a host is run, and what follows, is the fleet's matter.

import { newRunId, type RunId } from '../../../shared/identity.js';
import type { Secret } from '../../../shared/secret.js';
import { Control } from './control.js';
import { cutOffBy, tellCutOff } from './cut-off.js';
import type { Fences } from './fences.js';
import { type Dial, type NodeAgent, NodeCallError } from './node.js';
import type { Outcome } from './outcome.js';
import { Progress } from './progress.js';
import type { RunInProgress, RunResult, RunTask, StartRun } from './run.js';
import {
  type RunContext,
  type RunSurroundings,
  reportFailedAttempt,
  type StepResult,
} from './run-context.js';
import { sequence } from './sequence.js';
import { Session } from './session.js';

export interface RunnerDependencies extends RunSurroundings {
  readonly dial: Dial;
  readonly fences: Fences;
  /** Gives the provisioning secrets that the site's nodes may hold, newest first; none where it has none. */
  readonly tokens: () => readonly Secret[];
}

/** @returns what the fleet starts runs with */
export function createRunner(dependencies: RunnerDependencies): StartRun {
  const { clock, settings, fences, tokens } = dependencies;
  return (task) => {
    const session = new Session(newRunId(), fences.next(), tokens());
    const control = new Control(clock, settings.runTimeoutMs);
    const progress = new Progress(clock);
    return new Run(session, control, progress, perform(dependencies, task, { session, control, progress }));
  };
}

class Run implements RunInProgress {
  readonly finished: Promise<RunResult>;
  readonly progress: Progress;
  readonly #session: Session;
  readonly #control: Control;

  constructor(session: Session, control: Control, progress: Progress, finished: Promise<RunResult>) {
    this.#session = session;
    this.#control = control;
    this.progress = progress;
    this.finished = finished;
  }

  get runId() {
    return this.#session.runId;
  }

  get fence() {
    return this.#session.fence;
  }

  get bootId() {
    return this.#session.bootId;
  }

  interrupt(cause: Parameters<RunInProgress['interrupt']>[0]): void {
    this.#control.interrupt(cause);
  }

  settle(): void {
    this.#control.settle();
  }

  hurry(graceMs: number): void {
    this.#control.hurry(graceMs);
  }
}

/** What a run is made of beside what it was given. */
type RunParts = Pick<RunContext, 'session' | 'control' | 'progress'>;

async function perform(dependencies: RunnerDependencies, task: RunTask, parts: RunParts): Promise<RunResult> {
  const { clock, confirmations, dial } = dependencies;
  const { session, control, progress } = parts;
  const { runId } = session;
  const startedAt = clock.monotonic();
  // Whoever started the run tells the world of it before its first step does.
  await Promise.resolve();
  if (task.cutOffRun !== undefined) warnOfCutOff(dependencies, task, session, task.cutOffRun);
  let agent: NodeAgent | undefined;
  let run: RunContext | undefined;
  let outcome: Outcome;
  let { fetched } = task;
  try {
    agent = dial(task.node);
    run = { ...dependencies, ...parts, task, agent, fetched };
    outcome = await takeSteps(run);
    fetched = run.fetched;
  } catch (error) {
    outcome = afterFault(error, dependencies, task, parts);
  }
  agent?.close();
  control.close();
  const cutOff = cutOffBy(outcome, run?.configured);
  const provisioned = outcome.kind === 'PROVISIONED';
  confirmations.runEnded(runId, { provisioned, cutOff, fence: session.fence });
  const durationMs = clock.monotonic() - startedAt;
  const lastStep = progress.step;
  const configurationDigest = run?.configurationDigest;
  const told = tellCutOff(outcome, cutOff);
  return { runId, outcome: told, fetched, cutOff, configurationDigest, durationMs, lastStep };
}

function warnOfCutOff({ log }: RunnerDependencies, { node }: RunTask, session: Session, by: RunId): void {
  const fields = { identity: node.identity, run_id: session.runId };
  log.warn(fields, `run ${by} sent this node its configuration and could not restart it: it is run again`);
}

/** An address that may not be dialled fails its run; all else that was thrown is a fault of this program. */
function afterFault(
  error: unknown,
  { events, log }: RunnerDependencies,
  task: RunTask,
  { session, progress }: RunParts,
): Outcome {
  if (error instanceof NodeCallError) {
    const { message } = error;
    progress.enter('IDENTIFY', 1);
    const failure = { code: '', reason: 'UNREACHABLE', message, willRetry: false, durationMs: 0 } as const;
    reportFailedAttempt({ events, task, session, progress }, { step: 'IDENTIFY', attempt: 1, ...failure });
    return { kind: 'FAILED', reason: 'UNREACHABLE', message };
  }
  const fields = { identity: task.node.identity, run_id: session.runId, err: error };
  log.error(fields, 'a run ended by a fault of its own');
  return { kind: 'FAILED', reason: 'RPC_FAILED', message: 'internal error' };
}

/** A run whose node changed under it starts over, once. */
async function takeSteps(run: RunContext): Promise<Outcome> {
  const first = await pass(run);
  if (first.kind === 'ENDED') return first.outcome;
  // What was made for keys that have changed is of no use to anybody.
  run.credentials = undefined;
  return (await pass(run)).outcome;
}

async function pass(run: RunContext): Promise<Extract<StepResult, { kind: 'ENDED' | 'START_OVER' }>> {
  for (const { name, gate, tries, take } of sequence) {
    // Steps begin in the same turn: they need not look again.
    if (run.control.end !== undefined) return { kind: 'ENDED', outcome: run.control.end };
    if (!gate(run)) continue;
    run.progress.enter(name, tries);
    const startedAt = run.clock.monotonic();
    const result = await take(run, tries);
    if (result.kind === 'ENDED' || result.kind === 'START_OVER') return result;
    if (result.kind === 'SKIPPED') continue;
    const { identity } = run.task.node;
    const durationMs = run.clock.monotonic() - startedAt;
    const { runId } = run.session;
    run.events.publish({
      type: 'STEP_COMPLETED',
      identity,
      runId,
      step: name,
      tries: result.tries,
      durationMs,
    });
    if (result.outcome !== undefined) return { kind: 'ENDED', outcome: result.outcome };
  }
  throw new Error('the sequence ended without an outcome');
}
