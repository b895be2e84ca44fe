// What follows the end of a run (design, section 5): the table of outcomes as data, and the one function
// that reads it. Whoever asks carries it out.

import { backoffMs } from '../../../shared/backoff.js';
import type { Random } from '../../../shared/random.js';
import type { Outcome } from '../run/outcome.js';
import { loopThreshold } from './counters.js';

/** @returns what an outcome does to the row of failures of its node: adds to it, ends it, or leaves it as it is */
export function rowEffect(outcome: Outcome): 'ADDS' | 'ENDS' | 'KEEPS' {
  switch (outcome.kind) {
    case 'PROVISIONED':
    case 'UPGRADED':
    case 'SHUT_DOWN':
      return 'ENDS';
    case 'DEFERRED':
      // A node that is about to stop for ever would be run once a sighting, for ever.
      return outcome.by === 'NODE' ? 'ADDS' : 'ENDS';
    case 'FAILED':
    case 'UPGRADE_FAILED':
      return 'ADDS';
    case 'SUPERSEDED':
      // A node that boots anew in every run, or says so, would be run without a pause for ever.
      return outcome.by === 'BOOT' ? 'ADDS' : 'KEEPS';
    case 'SKIPPED_STALE':
    case 'CANCELLED':
      return 'KEEPS';
  }
}

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
  /** Its record names a boot that is gone, and the certificate of that boot: who it is now only a sighting tells. */
  readonly outdated: boolean;
}

/** Failures in a row after which a host is only released. */
const freeFailures = 2;
const fenceHoldMs = 60_000;
const upgradeHoldMs = 60_000;
const longestDeferralMs = 24 * 3_600_000;

/** @returns what becomes of a host whose run ended so */
export function afterRun(outcome: Outcome, past: Past, policy: DispositionPolicy, random: Random): Next {
  switch (outcome.kind) {
    case 'PROVISIONED':
    case 'SHUT_DOWN':
      return { state: 'HELD', ms: policy.holdMs };
    case 'DEFERRED': {
      const asked = Math.min(outcome.retryAfterMs ?? 0, longestDeferralMs);
      const pause = outcome.by === 'NODE' ? pauseAfterFailures(past, policy, random) : undefined;
      const ms = Math.max(asked, pause?.ms ?? 0);
      return ms > 0 ? { state: 'BACKING_OFF', ms } : { state: 'RELEASED' };
    }
    case 'FAILED':
      return pauseAfterFailures(past, policy, random) ?? { state: 'RELEASED' };
    case 'UPGRADE_FAILED':
      return past.failuresInRow < 2
        ? { state: 'HELD', ms: upgradeHoldMs }
        : (pauseAfterFailures(past, policy, random) ?? { state: 'RELEASED' });
    case 'UPGRADED':
    case 'SKIPPED_STALE':
      return { state: 'RELEASED' };
    case 'SUPERSEDED':
      if (outcome.by === 'FENCE') return { state: 'HELD', ms: fenceHoldMs };
      return pauseAfterFailures(past, policy, random) ?? afterBoot(past);
    case 'CANCELLED':
      switch (outcome.cause) {
        case 'PAUSED':
          return { state: 'QUEUED', at: 'HEAD' };
        case 'BREAKER':
          // The next probe is to be another host.
          return { state: 'QUEUED', at: outcome.probe === true ? 'TAIL' : 'HEAD' };
        case 'RELEASED':
        case 'STOPPING':
          return { state: 'RELEASED' };
      }
  }
}

/** A run before the node's next sighting would meet with the same. */
function afterBoot({ outdated }: Past): Next {
  return outdated ? { state: 'RELEASED' } : { state: 'QUEUED', at: 'TAIL' };
}

/**
 * Nothing after the first two failures in a row, then backing off for interval × 2ⁿ with jitter, at most
 * `backoffMaxMs`; n is the failures in a row less two. A loop backs off likewise, from its third comeback.
 */
function pauseAfterFailures(
  past: Past,
  policy: DispositionPolicy,
  random: Random,
): Extract<Next, { state: 'BACKING_OFF' }> | undefined {
  const n = Math.max(past.failuresInRow - freeFailures, past.comebacks - loopThreshold + 1);
  return n <= 0 ? undefined : { state: 'BACKING_OFF', ms: backoff(n, policy, random) };
}

/** @returns milliseconds for which a node backs off that came back so many times within an hour */
export function loopBackoffMs(comebacks: number, policy: DispositionPolicy, random: Random): number {
  return backoff(comebacks - loopThreshold + 1, policy, random);
}

function backoff(n: number, policy: DispositionPolicy, random: Random): number {
  return backoffMs(n, { initialMs: 2 * policy.intervalMs, maxMs: policy.backoffMaxMs }, random);
}
