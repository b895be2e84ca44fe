// What is remembered of a node: its runs of late, and how its record ended. Times are Unix milliseconds.

import type { BootId, Identity, RunId } from '../../../shared/identity.js';
import type { ReleaseCause, StepName } from '../events/event.js';
import type { OutcomeKind } from '../run/outcome.js';

/** Of one node, as many as are remembered and told. */
export const mostRuns = 8;

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
  /** Set where it was before this process started. Without an outcome it was broken off by the end of its process. */
  readonly earlier?: true;
}

/** What was last known of a host that is known no more. What only its fleet could tell is not known of earlier ones. */
export interface LeftHost {
  /** Undefined, like the time, where the process ended while it was known. */
  readonly cause: ReleaseCause | undefined;
  readonly at: number | undefined;
  /** Empty where it is not known. */
  readonly address: string;
  readonly bootId: BootId | undefined;
  /** Of the agent's release; empty where it was not fetched. */
  readonly version: string;
  /** Hex; empty where the node has none. */
  readonly certificateSha256: string;
  readonly discovery: string;
  readonly admittedAt: number | undefined;
  readonly lastSightedAt: number | undefined;
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
