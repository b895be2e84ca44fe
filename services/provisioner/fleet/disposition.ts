// What follows the end of a run (design, section 5): the table of outcomes as data, and the one function
// that reads it. Whoever asks carries it out.

import { backoffMs } from '../../../shared/backoff.js';
import type { Random } from '../../../shared/random.js';
import type { Outcome, OutcomeKind } from '../run/outcome.js';
import { loopThreshold } from './counters.js';

/** What each outcome does to the row of failures of its node: adds to it, ends it, or leaves it as it is. */
export const rowEffects: Readonly<Record<OutcomeKind, 'ADDS' | 'ENDS' | 'KEEPS'>> = {
  PROVISIONED: 'ENDS',
  SHUT_DOWN: 'ENDS',
  DEFERRED: 'ENDS',
  FAILED: 'ADDS',
  SKIPPED_STALE: 'KEEPS',
  SUPERSEDED: 'KEEPS',
  CANCELLED: 'KEEPS',
};

/** What becomes of a host; times in milliseconds. */
export type Next =
  | { readonly state: 'RELEASED' }
  | { readonly state: 'HELD'; readonly ms: number }
  | { readonly state: 'BACKING_OFF'; readonly ms: number }
  | { readonly state: 'QUEUED'; readonly at: 'HEAD' | 'TAIL' };

export interface DispositionPolicy {
  readonly holdMs: number;
  readonly backoffMaxMs: number;
  /** The interval in which live nodes are sighted. */
  readonly intervalMs: number;
}

/** What is known of the node's past, the run that ended included. */
export interface Past {
  readonly failuresInRow: number;
  /** Times within an hour that it came back, or said it would, after it was provisioned. */
  readonly comebacks: number;
}

/** Failures in a row after which a host is only released. */
const freeFailures = 2;
const fenceHoldMs = 60_000;
const longestDeferralMs = 24 * 3_600_000;

/** @returns what becomes of a host whose run ended so */
export function afterRun(outcome: Outcome, past: Past, policy: DispositionPolicy, random: Random): Next {
  switch (outcome.kind) {
    case 'PROVISIONED':
    case 'SHUT_DOWN':
      return { state: 'HELD', ms: policy.holdMs };
    case 'DEFERRED': {
      const ms = outcome.retryAfterMs ?? 0;
      return ms > 0 ? { state: 'BACKING_OFF', ms: Math.min(ms, longestDeferralMs) } : { state: 'RELEASED' };
    }
    case 'FAILED':
      return afterFailure(past, policy, random);
    case 'SKIPPED_STALE':
      return { state: 'RELEASED' };
    case 'SUPERSEDED':
      return outcome.by === 'FENCE' ? { state: 'HELD', ms: fenceHoldMs } : { state: 'QUEUED', at: 'TAIL' };
    case 'CANCELLED':
      switch (outcome.cause) {
        case 'PAUSED':
          return { state: 'QUEUED', at: 'HEAD' };
        case 'SUPERSEDED':
          return { state: 'QUEUED', at: 'TAIL' };
        case 'RELEASED':
        case 'STOPPING':
          return { state: 'RELEASED' };
      }
  }
}

/**
 * Released for the first two failures in a row, then backing off for interval × 2ⁿ with jitter, at most
 * `backoffMaxMs`; n is the failures in a row less two. A loop backs off likewise, from its third comeback.
 */
function afterFailure(past: Past, policy: DispositionPolicy, random: Random): Next {
  const n = Math.max(past.failuresInRow - freeFailures, past.comebacks - loopThreshold + 1);
  return n <= 0 ? { state: 'RELEASED' } : { state: 'BACKING_OFF', ms: backoff(n, policy, random) };
}

/** @returns milliseconds for which a node backs off that came back so many times within an hour */
export function loopBackoffMs(comebacks: number, policy: DispositionPolicy, random: Random): number {
  return backoff(comebacks - loopThreshold + 1, policy, random);
}

function backoff(n: number, policy: DispositionPolicy, random: Random): number {
  return backoffMs(n, { initialMs: 2 * policy.intervalMs, maxMs: policy.backoffMaxMs }, random);
}
