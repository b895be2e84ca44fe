// What the fleet and a run say to one another. The fleet decides when a host is run and what follows;
// the run does the sequence and knows nothing of queues and holds.

import type { BootId, RunId } from '../../../shared/identity.js';
import type { ProvisioningClaims } from '../../../shared/trust/provisioning-token.js';
import type { StepName } from '../events/event.js';
import type { SightedNode } from '../fleet/node-event.js';
import type { CutOff } from './cut-off.js';
import type { Inventory } from './inventory.js';
import type { NodeKey } from './node.js';
import type { Interruption, Outcome } from './outcome.js';
import type { RunProgress } from './progress.js';

/** What GetJwt gave, verified. */
export interface FetchedToken {
  readonly claims: ProvisioningClaims;
  /** X25519 public key of the node, 32 bytes. */
  readonly ecdhPublic: Uint8Array;
}

/** What runs fetched from one boot of a node. It stays on the host while that boot lives. */
export interface Fetched {
  readonly bootId: BootId;
  /**
   * The certificate that it was fetched from: the id of a boot is no secret, and who says it is not yet that boot.
   * Empty without TLS.
   */
  readonly certificateSha256: string;
  readonly token?: FetchedToken;
  /** Verified. */
  readonly key?: NodeKey;
  readonly inventory?: {
    readonly value: Inventory;
    /** Monotonic milliseconds. */
    readonly fetchedAt: number;
  };
}

/** What a run is given. */
export interface RunTask {
  readonly node: SightedNode;
  /** What earlier runs fetched from this node, if anything. */
  readonly fetched: Fetched | undefined;
  /** The versions from which the last upgrades in a row of this node started, oldest first. Default none. */
  readonly upgradedFrom?: readonly string[];
  /** An earlier run that had configured this node and ended without having restarted it. */
  readonly cutOffRun?: RunId;
  /** Set where an operator wants a fence far ahead of the clock overtaken. */
  readonly force?: boolean;
}

/** What a run gives back. */
export interface RunResult {
  readonly runId: RunId;
  readonly outcome: Outcome;
  /** What is worth keeping for the next run of the same boot; undefined clears it. */
  readonly fetched: Fetched | undefined;
  /** Set where the run configured its node and did not see it restart. */
  readonly cutOff?: CutOff | undefined;
  /** The last that it came to; undefined where it came to none. */
  readonly lastStep?: StepName | undefined;
  /** Hex SHA-256 of the configuration that was made for the node; undefined where none was. */
  readonly configurationDigest?: string | undefined;
  readonly durationMs: number;
}

/** A run that has started. */
export interface RunInProgress {
  readonly runId: RunId;
  /** The one that it has now: a run may overtake another's. */
  readonly fence: bigint;
  /**
   * The boot that Identify named, once it has. The fleet then knows that a sighting of it, which may come
   * later than the run's own look, is no new boot. Undefined before.
   */
  readonly bootId?: BootId | undefined;
  /** Where it is at this moment. */
  readonly progress: RunProgress;
  /** Resolves when the run has ended; never rejects. */
  readonly finished: Promise<RunResult>;
  /** Asks the run to stop. Past the point of no return it is ignored. Safe to call more than once. */
  interrupt(cause: Interruption): void;
  /**
   * Tells the run that its node came up with the configuration of this run. Past the point of no return it
   * ends the run; whether the configuration is the right one is for the confirmation to say.
   */
  settle(): void;
  /** Shortens a run past the point of no return so that Restart is attempted before `graceMs` is over. */
  hurry(graceMs: number): void;
}

/** Starts a run. It publishes its steps; RUN_STARTED and RUN_FINISHED are the fleet's to publish. */
export type StartRun = (task: RunTask) => RunInProgress;
