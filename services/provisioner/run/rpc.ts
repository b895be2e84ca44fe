// The one way in which a step calls its node: the check for interruption, deadline, tries and their pauses,
// and the settling of lost replies (design, section 6). Which failures are tried again is verdict.ts's
// matter, what a node's answers mean settle.ts's.

import { backoffMs } from '../../../shared/backoff.js';
import type { StepName } from '../events/event.js';
import { attemptOnce, shortestAttemptMs } from './attempt.js';
import type { CallEnd, CallResult, NodeCall } from './call.js';
import type { Caller, CallFailure, CallLimits } from './node.js';
import type { Outcome } from './outcome.js';
import { type RunContext, reportFailedAttempt } from './run-context.js';
import type { Settlement, StatusAnswer } from './settle.js';
import { askRunStatus, lookAfterReboot } from './status.js';
import {
  describe,
  failedBy,
  judge,
  mayHaveHadEffect,
  outdatesFetched,
  showsAnotherCertificate,
  showsFenceTaken,
} from './verdict.js';
import { wait } from './wait.js';

const backoff = { initialMs: 500, maxMs: 5_000 };

/** Makes a call, with all its tries. */
export function callNode<T>(run: RunContext, call: NodeCall<T>): Promise<CallResult<T>> {
  return new Tries(run, call).run();
}

class Tries<T> {
  readonly #run: RunContext;
  readonly #call: NodeCall<T>;
  #attempt = 1;
  #startedAt = 0;
  #lockedSince: number | undefined;
  /** The last failure. */
  #failure: CallFailure | undefined;
  /** The failure after which nobody knows whether the node did what it was asked. */
  #lost: CallFailure | undefined;
  /** Whether the node said that it is still at it. */
  #underWay = false;
  /** Whether there ever was one. */
  #sent = false;
  /** How the call ends if the node did nothing. */
  #otherwise: CallEnd | undefined;

  constructor(run: RunContext, call: NodeCall<T>) {
    this.#run = run;
    this.#call = call;
  }

  async run(): Promise<CallResult<T>> {
    for (;;) {
      const end = this.#mustEnd();
      if (end !== undefined) return await this.#leave(end);
      const lost = this.#underWay ? undefined : this.#lost;
      const result = lost === undefined ? await this.#try() : await this.#settleLost(lost);
      if (result !== undefined) return result;
    }
  }

  /** How the call ends where it may not go on. */
  #mustEnd(): CallEnd | undefined {
    const { control } = this.#run;
    if (control.end !== undefined) return { kind: 'ENDED', outcome: control.end };
    if (this.#failure === undefined || this.#hasTime) return undefined;
    return this.#lost === undefined ? this.#failed(this.#failure) : this.#unsettled(this.#lost);
  }

  get #hasTime(): boolean {
    return this.#run.control.timeLeftMs(this.#call.step) >= shortestAttemptMs;
  }

  /** An interrupted run still has to know what a call did whose reply was lost. It asks once more, and no more. */
  async #leave(end: CallEnd): Promise<CallResult<T>> {
    const lost = this.#lost;
    // A node that came up with its configuration has answered all questions.
    if (lost === undefined || this.#run.control.end?.kind === 'PROVISIONED') return end;
    if (!this.#hasTime) return this.#unsettled(lost);
    return (await this.#settleLost(lost, end)) ?? end;
  }

  /**
   * Before another try: what became of the one whose reply was lost?
   *
   * @param end how the run has to end where the call had no effect; undefined where there may be another try
   */
  async #settleLost(lost: CallFailure, end?: CallEnd): Promise<CallResult<T> | undefined> {
    const { settling, step } = this.#call;
    if (settling === undefined) return this.#failed(lost);
    this.#startedAt = this.#run.clock.monotonic();
    const answer = await askRunStatus(this.#run, step);
    if (answer.kind === 'CUT') return undefined;
    if (answer.kind === 'FAILED') this.#forgetAfter(answer.failure);
    const settlement = settling.decide(answer, this.#sent);
    const mayTry = end === undefined && this.#attempt < this.#call.tries;
    switch (settlement.kind) {
      case 'UNANSWERED':
        this.#report(settlement.failure, settlement.again && mayTry, 'GetRunStatus: ');
        return settlement.again && mayTry ? await this.#pause(0) : this.#unanswered(lost);
      case 'UNDER_WAY':
        // The pause before this question was the one before the next try.
        if (end !== undefined || this.#attempt > this.#call.tries) {
          return { kind: 'REPLY', value: settling.done, tries: Math.min(this.#attempt, this.#call.tries) };
        }
        this.#underWay = true;
        return undefined;
      case 'NOT_DONE':
        this.#lost = undefined;
        return end ?? this.#otherwise;
      case 'DONE':
      case 'END':
        return this.#settled(settlement);
    }
  }

  /** Nobody says what became of the call; but that another boot was sighted tells as much as its answer would. */
  #unanswered(lost: CallFailure): CallResult<T> {
    const { settling } = this.#call;
    const { end } = this.#run.control;
    const rebooted: StatusAnswer = { kind: 'REBOOTED', into: { kind: 'UNKNOWN' } };
    const isSuperseded = end?.kind === 'SUPERSEDED' && settling !== undefined;
    const told = isSuperseded ? this.#settled(settling.decide(rebooted, this.#sent)) : undefined;
    return told ?? this.#unsettled(lost);
  }

  async #try(): Promise<CallResult<T> | undefined> {
    const { step, timeoutMs, settling, attempt } = this.#call;
    this.#startedAt = this.#run.clock.monotonic();
    const answer = await attemptOnce(
      this.#run,
      { step, timeoutMs, hasEffects: settling !== undefined },
      attempt,
    );
    switch (answer.kind) {
      case 'CUT':
        return undefined;
      case 'REPLY':
        if (this.#call.fenced) this.#run.session.fenceTaken();
        return { kind: 'REPLY', value: answer.value, tries: this.#attempt };
      case 'FAILED':
        return this.#follow(answer.failure);
    }
  }

  async #follow(failure: CallFailure): Promise<CallResult<T> | undefined> {
    const { session } = this.#run;
    const verdict = this.#judge(failure);
    this.#failure = failure;
    this.#underWay = false;
    if (this.#call.settling !== undefined && mayHaveHadEffect(failure)) {
      this.#lost = failure;
      this.#sent = true;
    }
    switch (verdict.kind) {
      case 'NEXT_TOKEN':
        this.#report(failure, true);
        session.useNextToken();
        return undefined;
      case 'OVERTAKE':
        this.#report(failure, true);
        session.overtake(verdict.fence);
        return undefined;
      case 'REBOOTED':
        this.#report(failure, false);
        return this.#rebooted(failure);
      case 'START_OVER':
        this.#report(failure, false);
        return verdict;
      case 'END':
        return this.#giveUp(failure, { kind: 'ENDED', outcome: verdict.outcome, failure });
      case 'RETRY':
        if (this.#attempt >= this.#call.tries) return this.#giveUp(failure, this.#failed(failure));
        this.#report(failure, this.#run.control.end === undefined);
        return this.#pause(verdict.waitMs);
    }
  }

  #judge(failure: CallFailure) {
    const { session, task, clock } = this.#run;
    this.#forgetAfter(failure);
    const isLocked = failure.kind === 'STATUS' && failure.reason === 'LOCKED';
    this.#lockedSince = isLocked ? (this.#lockedSince ?? clock.monotonic()) : undefined;
    const verdict = judge(failure, {
      step: this.#call.step,
      hasNextToken: session.hasNextToken,
      atFirstFencedCall: session.atFirstFencedCall,
      force: task.force ?? false,
      now: clock.now(),
      lockedForMs: clock.monotonic() - (this.#lockedSince ?? clock.monotonic()),
    });
    if (this.#call.fenced && showsFenceTaken(failure)) session.fenceTaken();
    return verdict;
  }

  /** Whoever runs the node besides may have had it make other keys. */
  #forgetAfter(failure: CallFailure): void {
    if (outdatesFetched(failure)) this.#run.fetched = undefined;
  }

  /** No further try; but what the node may have done has to be known. */
  async #giveUp(failure: CallFailure, end: CallEnd): Promise<CallResult<T> | undefined> {
    this.#report(failure, false);
    if (this.#lost === undefined) return end;
    this.#otherwise = end;
    return this.#pause(0);
  }

  async #rebooted(failure: CallFailure): Promise<CallResult<T>> {
    const { settling, step } = this.#call;
    const message = showsAnotherCertificate(failure)
      ? 'another certificate is shown at its address: the node has rebooted, or somebody else is there'
      : 'the node has rebooted';
    const outcome: Outcome = { kind: 'SUPERSEDED', by: 'BOOT', message };
    const superseded: CallEnd = { kind: 'ENDED', outcome, failure };
    if (settling === undefined) return superseded;
    const into = showsAnotherCertificate(failure)
      ? ({ kind: 'UNKNOWN' } as const)
      : await lookAfterReboot(this.#run, step);
    return this.#settled(settling.decide({ kind: 'REBOOTED', into }, this.#sent)) ?? superseded;
  }

  #settled(settlement: Settlement): CallResult<T> | undefined {
    const { settling } = this.#call;
    if (settlement.kind === 'END') return { kind: 'ENDED', outcome: settlement.outcome };
    if (settlement.kind !== 'DONE' || settling === undefined) return undefined;
    return { kind: 'REPLY', value: settling.done, tries: this.#attempt };
  }

  #failed(failure: CallFailure): CallEnd {
    return { kind: 'ENDED', outcome: failedBy(failure, this.#call.step), failure };
  }

  #unsettled(lost: CallFailure): CallEnd {
    const outcome = this.#call.settling?.unsettled(lost) ?? failedBy(lost, this.#call.step);
    return { kind: 'ENDED', outcome, failure: lost };
  }

  /** Waits for the next try: growing, jittered, and cut short when something happens to the run. */
  async #pause(waitMs: number): Promise<undefined> {
    const { random } = this.#run;
    const wanted = Math.max(waitMs, backoffMs(this.#attempt, backoff, random));
    const pause = Math.min(wanted, this.#run.control.timeLeftMs(this.#call.step) / 4);
    this.#attempt += 1;
    this.#run.progress.waitToRetry(this.#attempt, pause);
    await wait(this.#run, pause);
  }

  #report(failure: CallFailure, willRetry: boolean, prefix = ''): void {
    const { step } = this.#call;
    const isAnswer = failure.kind === 'STATUS' || failure.kind === 'NOT_SENT';
    reportFailedAttempt(this.#run, {
      step,
      attempt: this.#attempt,
      code: isAnswer ? failure.code : '',
      reason: failure.kind === 'STATUS' ? failure.reason : isAnswer ? '' : reasonOf(failure, step),
      message: `${prefix}${describe(failure)}`,
      willRetry,
      durationMs: this.#run.clock.monotonic() - this.#startedAt,
    });
  }
}

function reasonOf(failure: CallFailure, step: StepName): string {
  const outcome = failedBy(failure, step);
  return outcome.kind === 'FAILED' ? outcome.reason : '';
}

/** @returns an attempt that carries run, fence and proof as they are when it is made */
export function asCaller<T>(
  run: RunContext,
  call: (caller: Caller, limits: CallLimits) => Promise<T>,
): (limits: CallLimits) => Promise<T> {
  return (limits) => call(run.session.caller(), limits);
}
