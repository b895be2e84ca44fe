// What a host waits for, and what has to be known to say so. All times are Unix milliseconds.

import type { BreakerStanding } from '../../fleet/breaker.js';
import type { RunProgress } from '../../run/progress.js';
import type { Past, RunRecord } from '../past.js';

export type WaitCause =
  /** Hosts before it in the queue. */
  | 'TURN'
  | 'PAUSED'
  /** The helper to work again. */
  | 'BREAKER'
  /** The end of its hold. */
  | 'HOLD'
  /** The end of its backing off. */
  | 'BACKOFF'
  /** The time that the helper, or the node, asked to be left. */
  | 'DEFERRED'
  | 'SIGHTING'
  /** A reply of the node to the run. */
  | 'NODE'
  | 'HELPER_SLOT'
  | 'HELPER'
  /** What signs server tokens. */
  | 'CREDENTIALS'
  /** The node to come up with its configuration. */
  | 'CONFIRMATION';

export interface Wait {
  readonly cause: WaitCause;
  /** At the latest; undefined where that is not known. */
  readonly until: number | undefined;
  /** For people, with what they can do about it. */
  readonly message: string;
}

/** Where a host stands with the fleet. */
export type Standing =
  | { readonly state: 'QUEUED'; readonly place: number }
  /** The times of its progress are Unix milliseconds here. */
  | { readonly state: 'RUNNING'; readonly progress: RunProgress }
  | { readonly state: 'HELD' | 'BACKING_OFF'; readonly until: number }
  | { readonly state: 'RELEASED' };

/** What is known of one host. */
export interface Subject {
  readonly standing: Standing;
  /** Undefined where it was not sighted since the provisioner has started. */
  readonly lastSightedAt: number | undefined;
  /** True where that was so long ago that no run would start. */
  readonly isStale: boolean;
  readonly failuresInRow: number;
  readonly past: Past;
  /** The newest of its runs the node of which is still to say that it came up. */
  readonly pending: { readonly run: RunRecord; readonly until: number | undefined } | undefined;
}

/** How the provisioner stands. */
export interface Circumstances {
  readonly now: number;
  readonly pause: { readonly since: number; readonly by: string; readonly message: string } | undefined;
  readonly breaker: BreakerStanding;
  readonly workers: { readonly busy: number; readonly total: number };
  /** Runs that have finished per second of late. */
  readonly runsPerSecond: number;
  /** In which live nodes are sighted. */
  readonly intervalMs: number;
  /** Why no discovery service is watched; undefined where one is. */
  readonly discoveryMissing: string | undefined;
  readonly queueLimit: number;
  /** Sightings of hosts that are not known are dropped. */
  readonly queueIsFull: boolean;
  readonly helper: { readonly slots: number; readonly waiting: number; readonly timeoutMs: number };
}
