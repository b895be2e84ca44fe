// What is remembered of a node: its runs of late, and how its record ended. Times are Unix milliseconds.

import type { BootId, Identity, RunId } from '../../../shared/identity.js';
import type { ReleaseCause, StepName } from '../events/event.js';
import type { OutcomeKind } from '../run/outcome.js';

/** A run, as it is remembered. */
export interface RunRecord {
  readonly runId: RunId;
  readonly fence: bigint;
  /** That the run was for. */
  readonly bootId: BootId;
  readonly startedAt: number;
  /** Undefined while it goes on, like the outcome. */
  readonly durationMs: number | undefined;
  readonly outcome: OutcomeKind | undefined;
  /** Empty but for FAILED and UPGRADE_FAILED. */
  readonly reason: string;
  readonly message: string;
  /** The last that it came to; undefined where it came to none. */
  readonly lastStep: StepName | undefined;
  readonly unsettled: boolean;
  /** What became of its confirmation; undefined where it is still waited for, or there is none. */
  readonly confirmation: 'CONFIRMED' | 'MISSED' | undefined;
  readonly confirmationAt: number | undefined;
}

/** What was last known of a host that is known no more. */
export interface LeftHost {
  readonly cause: ReleaseCause;
  readonly at: number;
  readonly address: string;
  readonly bootId: BootId;
  /** Of the agent's release; empty where it was not fetched. */
  readonly version: string;
  /** Hex; empty where the node has none. */
  readonly certificateSha256: string;
  readonly discovery: string;
  readonly admittedAt: number;
  readonly lastSightedAt: number;
}

/** The node keeps coming back unprovisioned. */
export interface Loop {
  readonly times: number;
  readonly withinMs: number;
}

/** Two machines spoke in the name of the node. */
export interface Conflict {
  readonly at: number;
  readonly address: string;
  readonly newcomerAddress: string;
}

export interface Past {
  readonly identity: Identity;
  /** Newest first. */
  readonly runs: readonly RunRecord[];
  /** How its last record ended; undefined while there is one. */
  readonly left: LeftHost | undefined;
  /** Set where it has been found looping since its last run began. */
  readonly loop: Loop | undefined;
  readonly conflict: Conflict | undefined;
}
