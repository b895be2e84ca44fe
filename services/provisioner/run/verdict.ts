// What a failed call means for its run: the one place that knows which failures are tried again and which
// end it (design, section 6). Pure; rpc.ts carries it out.

import { parseAgentReason } from '../../../shared/grpc/reasons.js';
import type { StepName } from '../events/event.js';
import { greatestFence } from './fences.js';
import type { CallCode, CallFailure } from './node.js';
import type { FailureReason, Outcome } from './outcome.js';

export type Verdict =
  /** Worth another try, after at least `waitMs`. */
  | { readonly kind: 'RETRY'; readonly waitMs: number }
  /** The node holds another secret: at once again with the next of the list. */
  | { readonly kind: 'NEXT_TOKEN' }
  /** An idle node was left to a fence that is ahead: at once again with this one. */
  | { readonly kind: 'OVERTAKE'; readonly fence: bigint }
  /** Another boot answers. What that means depends on what was done to the one before. */
  | { readonly kind: 'REBOOTED' }
  /** What was fetched no longer holds: the run starts over, or ends so if it has already. */
  | { readonly kind: 'START_OVER'; readonly outcome: Outcome }
  | { readonly kind: 'END'; readonly outcome: Outcome };

export interface Circumstances {
  readonly step: StepName;
  readonly hasNextToken: boolean;
  readonly atFirstFencedCall: boolean;
  /** An operator wants a fence far ahead of the clock overtaken. */
  readonly force: boolean;
  /** Wall clock, Unix milliseconds. */
  readonly now: number;
  /** How long this call has met LOCKED. */
  readonly lockedForMs: number;
}

/** RetryInfo beyond this defers the run; LOCKED is waited for so long altogether. */
const longestWaitMs = 5_000;
const idleBeforeOvertakenSeconds = 30;
const farAheadMs = 24 * 3_600_000;

/** How a run ends whose node says that it is in other hands. */
export const takenOver: Outcome = {
  kind: 'SUPERSEDED',
  by: 'FENCE',
  message: 'another provisioner of this site runs the node with a higher fence',
};

/** How a run ends whose node says that it will be gone in a moment, and not by this run. */
export const aboutToStop: Outcome = {
  kind: 'DEFERRED',
  by: 'NODE',
  message: 'the node is about to stop or to restart',
  retryAfterMs: undefined,
};

const superseded: Verdict = { kind: 'END', outcome: takenOver };

/** True where the call may have had its effect all the same. */
export function mayHaveHadEffect(failure: CallFailure): boolean {
  switch (failure.kind) {
    case 'NOT_SENT':
      return false;
    case 'STATUS':
      // What an agent refuses with a reason of its own, it refuses before it does anything.
      return parseAgentReason(failure.reason) === undefined;
    case 'REPLY_INVALID':
    case 'REPLY_TOO_LARGE':
      return true;
  }
}

/** True where the node had taken the run's fence before it failed the call. */
export function showsFenceTaken(failure: CallFailure): boolean {
  if (failure.kind !== 'STATUS') return failure.kind !== 'NOT_SENT';
  return ['ARGUMENT_INVALID', 'KEY_CHANGED', 'PROVISIONING_ENABLED'].includes(failure.reason);
}

/** True where who answers is not the boot that the run is for: a certificate is made anew with each boot. */
export function showsAnotherCertificate(failure: CallFailure): boolean {
  return failure.kind === 'NOT_SENT' && failure.anotherCertificate === true;
}

/** True where the failure says that what was fetched from the node may no longer hold. */
export function outdatesFetched(failure: CallFailure): boolean {
  return failure.kind === 'STATUS' && ['KEY_CHANGED', 'STALE_FENCE', 'LOCKED'].includes(failure.reason);
}

/** True where the failure is of what the node was asked to do, and does not say who it is or in whose hands. */
export function isOfTheCall(failure: CallFailure): boolean {
  if (failure.kind !== 'STATUS') return true;
  const reason = parseAgentReason(failure.reason);
  return reason === undefined || reason === 'ARGUMENT_INVALID';
}

/** True where the same call may work a moment later. */
export function isTransient(failure: CallFailure): boolean {
  if (failure.kind === 'NOT_SENT') return isTransientCode(failure.code);
  if (failure.kind !== 'STATUS') return false;
  if (failure.code === 'RESOURCE_EXHAUSTED') return failure.retryAfterMs !== undefined;
  if (failure.code === 'ABORTED') return failure.reason === 'LOCKED';
  return isTransientCode(failure.code);
}

function isTransientCode(code: CallCode): boolean {
  return code === 'UNAVAILABLE' || code === 'DEADLINE_EXCEEDED' || code === 'UNKNOWN' || code === 'INTERNAL';
}

/** @returns what follows from a failed attempt; whether tries are left is the caller's to see */
export function judge(failure: CallFailure, circumstances: Circumstances): Verdict {
  const { step, hasNextToken, lockedForMs } = circumstances;
  const failed: Verdict = { kind: 'END', outcome: failedBy(failure, step) };
  if (showsAnotherCertificate(failure)) return { kind: 'REBOOTED' };
  if (failure.kind !== 'STATUS') return isTransient(failure) ? { kind: 'RETRY', waitMs: 0 } : failed;
  switch (failure.reason) {
    case 'REBOOTED':
      return { kind: 'REBOOTED' };
    case 'PROOF_INVALID':
      return hasNextToken ? { kind: 'NEXT_TOKEN' } : failed;
    case 'STALE_FENCE':
      return judgeStaleFence(failure.metadata, circumstances);
    case 'STOPPING':
      return { kind: 'END', outcome: aboutToStop };
    case 'KEY_CHANGED':
      // What is committed is not taken back by starting over.
      return step === 'RESTART' ? failed : { kind: 'START_OVER', outcome: failedBy(failure, step) };
  }
  if (!isTransient(failure)) return failed;
  const waitMs = failure.retryAfterMs ?? 0;
  // A configured node that answers is not left without its restart.
  if (waitMs > longestWaitMs && step !== 'RESTART') {
    const message = describe(failure);
    return { kind: 'END', outcome: { kind: 'DEFERRED', by: 'NODE', message, retryAfterMs: waitMs } };
  }
  if (failure.reason === 'LOCKED' && lockedForMs + waitMs > longestWaitMs) return failed;
  return { kind: 'RETRY', waitMs: Math.min(waitMs, longestWaitMs) };
}

function judgeStaleFence(
  metadata: Readonly<Record<string, string>>,
  { atFirstFencedCall, force, now }: Circumstances,
): Verdict {
  const seen = /^\d{1,19}$/.test(metadata.fence ?? '') ? BigInt(metadata.fence ?? '') : undefined;
  const idle = /^\d{1,12}(?:\.\d+)?$/.test(metadata.idle_seconds ?? '') ? Number(metadata.idle_seconds) : 0;
  if (!atFirstFencedCall || seen === undefined) return superseded;
  const farAhead = seen > BigInt(Math.trunc(now)) + BigInt(farAheadMs);
  if (seen >= greatestFence || (farAhead && !force)) {
    const message = `the node has seen fence ${seen}, more than a day ahead of the clock`;
    return { kind: 'END', outcome: { kind: 'FAILED', reason: 'FENCE_AHEAD', message } };
  }
  if (farAhead || idle >= idleBeforeOvertakenSeconds) return { kind: 'OVERTAKE', fence: seen + 1n };
  return superseded;
}

/** The outcome of a run that a failed call ends. */
export function failedBy(failure: CallFailure, step: StepName): Outcome {
  return { kind: 'FAILED', reason: failureReason(failure, step), message: describe(failure) };
}

function failureReason(failure: CallFailure, step: StepName): FailureReason {
  switch (failure.kind) {
    case 'REPLY_INVALID':
      return 'REPLY_INVALID';
    case 'REPLY_TOO_LARGE':
      return 'MESSAGE_TOO_LARGE';
    case 'NOT_SENT':
      return step === 'IDENTIFY' ? 'UNREACHABLE' : 'RPC_FAILED';
    case 'STATUS':
      break;
  }
  switch (failure.reason) {
    case 'IDENTITY_MISMATCH':
    case 'NOT_PROVISIONING':
    case 'PROOF_INVALID':
    case 'KEY_CHANGED':
    case 'PROVISIONING_ENABLED':
      return failure.reason;
  }
  if (failure.code === 'RESOURCE_EXHAUSTED' && failure.retryAfterMs === undefined) return 'MESSAGE_TOO_LARGE';
  const unanswered = failure.code === 'UNAVAILABLE' || failure.code === 'DEADLINE_EXCEEDED';
  return step === 'IDENTIFY' && unanswered ? 'UNREACHABLE' : 'RPC_FAILED';
}

/** A failure in words, for people. */
export function describe(failure: CallFailure): string {
  return failure.kind === 'STATUS' || failure.kind === 'NOT_SENT'
    ? `${failure.code}: ${failure.message}`
    : failure.message;
}
