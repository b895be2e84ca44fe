// What a node's own account of a run means for a call whose reply was lost (design, section 6, "Lost
// replies"). Pure: status.ts asks, rpc.ts carries out what is decided here.

import type { CallFailure, RunStatus } from './node.js';
import type { Outcome } from './outcome.js';
import { aboutToStop, isTransient, takenOver } from './verdict.js';

/** The state that another boot of the node is in. */
export type AfterReboot =
  | { readonly kind: 'PROVISIONING' }
  /** It came up with what the run committed. */
  | { readonly kind: 'CONFIRMED'; readonly configurationDigest: string }
  | { readonly kind: 'UNKNOWN' };

/** What GetRunStatus brought. */
export type StatusAnswer =
  | { readonly kind: 'STATUS'; readonly status: RunStatus }
  | { readonly kind: 'REBOOTED'; readonly into: AfterReboot }
  | { readonly kind: 'FAILED'; readonly failure: CallFailure };

export type Settlement =
  /** The call had its effect. */
  | { readonly kind: 'DONE' }
  /** It had none: another try is safe. */
  | { readonly kind: 'NOT_DONE' }
  /** The node has accepted it and is still at it: another try joins it. */
  | { readonly kind: 'UNDER_WAY' }
  | { readonly kind: 'END'; readonly outcome: Outcome }
  /** Nobody knows. `again`: asking once more may help. */
  | { readonly kind: 'UNANSWERED'; readonly failure: CallFailure; readonly again: boolean };

/** @param configurationDigest hex digest of what the node was sent */
export function settleConfigure(answer: StatusAnswer, configurationDigest: string): Settlement {
  switch (answer.kind) {
    case 'FAILED':
      return unanswered(answer.failure);
    case 'REBOOTED':
      return cameUpWith(answer.into, configurationDigest)
        ? { kind: 'END', outcome: { kind: 'PROVISIONED', unsettled: false } }
        : supersededByBoot();
    case 'STATUS':
      break;
  }
  const { stage, configurationDigest: committed } = answer.status;
  switch (stage) {
    case 'CONFIGURED':
    case 'RESTARTING':
    case 'CONFIRMED':
      return committed === configurationDigest ? { kind: 'DONE' } : committedSomethingElse(committed);
    case 'STOPPING':
      return { kind: 'END', outcome: aboutToStop };
    case 'NONE':
    case 'KEYED':
    case 'UPGRADING':
    case 'UPGRADED':
    case 'FAILED':
      return { kind: 'NOT_DONE' };
  }
}

/**
 * @param sent whether an earlier Restart of this run may have reached the node
 * @param configurationDigest hex digest of what the node was sent
 */
export function settleRestart(
  answer: StatusAnswer,
  { configurationDigest, sent }: { readonly configurationDigest: string; readonly sent: boolean },
): Settlement {
  switch (answer.kind) {
    case 'FAILED':
      return unanswered(answer.failure);
    case 'REBOOTED':
      if (!sent) {
        return cameUpWith(answer.into, configurationDigest) ? { kind: 'DONE' } : supersededByBoot();
      }
      return answer.into.kind === 'PROVISIONING' ? restartedUnconfigured() : { kind: 'DONE' };
    case 'STATUS':
      break;
  }
  switch (answer.status.stage) {
    case 'RESTARTING':
    case 'CONFIRMED':
      return { kind: 'DONE' };
    case 'STOPPING':
      return { kind: 'END', outcome: aboutToStop };
    case 'NONE':
    case 'KEYED':
    case 'CONFIGURED':
    case 'UPGRADING':
    case 'UPGRADED':
    case 'FAILED':
      return { kind: 'NOT_DONE' };
  }
}

/**
 * A node that is replacing its release restarts when it has, so another boot of it is taken for upgraded: the next run
 * sees which release it has.
 *
 * @param sent whether an earlier UpdateRelease of this run may have reached the node
 */
export function settleUpdateRelease(answer: StatusAnswer, sent: boolean): Settlement {
  switch (answer.kind) {
    case 'FAILED':
      return unanswered(answer.failure);
    case 'REBOOTED':
      return sent ? { kind: 'DONE' } : supersededByBoot();
    case 'STATUS':
      break;
  }
  switch (answer.status.stage) {
    case 'UPGRADING':
      return { kind: 'UNDER_WAY' };
    case 'UPGRADED':
      return { kind: 'DONE' };
    case 'RESTARTING':
    case 'CONFIRMED':
    case 'STOPPING':
      return { kind: 'END', outcome: aboutToStop };
    case 'NONE':
    case 'KEYED':
    case 'CONFIGURED':
    case 'FAILED':
      return { kind: 'NOT_DONE' };
  }
}

/** Another boot that answers is not the one that was told to shut down: the run is superseded. */
export function settleShutdown(answer: StatusAnswer): Settlement {
  switch (answer.kind) {
    case 'FAILED':
      return unanswered(answer.failure);
    case 'REBOOTED':
      return supersededByBoot();
    case 'STATUS':
      return { kind: answer.status.stage === 'STOPPING' ? 'DONE' : 'NOT_DONE' };
  }
}

function cameUpWith(into: AfterReboot, configurationDigest: string): boolean {
  return into.kind === 'CONFIRMED' && into.configurationDigest === configurationDigest;
}

function unanswered(failure: CallFailure): Settlement {
  if (failure.kind === 'STATUS' && failure.reason === 'STALE_FENCE') {
    return { kind: 'END', outcome: takenOver };
  }
  return { kind: 'UNANSWERED', failure, again: isTransient(failure) };
}

function supersededByBoot(): Settlement {
  const message = 'the node has rebooted';
  return { kind: 'END', outcome: { kind: 'SUPERSEDED', by: 'BOOT', message } };
}

function restartedUnconfigured(): Settlement {
  const message = 'the node restarted, but is in provisioning mode again';
  return { kind: 'END', outcome: { kind: 'FAILED', reason: 'RESTARTED_UNCONFIGURED', message } };
}

function committedSomethingElse(committed: string): Settlement {
  const message = `the node committed another configuration than it was sent (digest ${committed || 'missing'})`;
  return { kind: 'END', outcome: { kind: 'FAILED', reason: 'REPLY_INVALID', message } };
}
