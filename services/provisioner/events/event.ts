// What happens in provisioning, as the rest of the service hears of it (design, section 10). Logs and
// metrics are made from these events; whoever produces them knows nothing of either.

import type { BootId, Identity, RunId } from '../../../shared/identity.js';
import type {
  FailureReason,
  HelperFailureReason,
  OutcomeKind,
  UpgradeFailureReason,
} from '../run/outcome.js';

/** A step of the sequence (design, section 10). */
export type StepName =
  | 'IDENTIFY'
  | 'GET_JWT'
  | 'GENERATE_KEY'
  | 'GET_INVENTORY'
  | 'GENERATE_CSR'
  | 'HELPER'
  | 'SHUTDOWN'
  | 'CREDENTIALS'
  | 'UPDATE_RELEASE'
  | 'CONFIGURE'
  | 'RESTART';

/** Why a host was put into the queue. */
export type QueueCause = 'ADMITTED' | 'NEW_BOOT' | 'RETRIED' | 'CANCELLED' | 'SUPERSEDED' | 'OPERATOR';

/** Why a host is no longer known. */
export type ReleaseCause =
  | 'HOLD_OVER'
  | 'RUN_FINISHED'
  | 'GONE'
  | 'CONFIGURED'
  | 'NOT_SIGHTED'
  | 'QUEUE_FULL'
  | 'OPERATOR';

/** What becomes of a host when its run has ended. */
export type NextState = 'QUEUED' | 'HELD' | 'BACKING_OFF' | 'RELEASED';

/** One attempt of a step that failed. */
export interface FailedAttempt {
  readonly step: StepName;
  /** From 1. */
  readonly attempt: number;
  /** gRPC status name, or empty where no RPC failed. */
  readonly code: string;
  readonly reason: string;
  readonly message: string;
  readonly willRetry: boolean;
  readonly durationMs: number;
}

/** The fleet publishes what concerns hosts, RUN_STARTED and RUN_FINISHED; the run publishes its steps. */
export type ProvisioningEvent =
  | {
      readonly type: 'HOST_QUEUED';
      readonly identity: Identity;
      readonly cause: QueueCause;
      readonly address: string;
      readonly bootId: BootId;
    }
  | { readonly type: 'HOST_DROPPED'; readonly count: number; readonly examples: readonly Identity[] }
  | {
      readonly type: 'HOST_RELEASED';
      readonly identity: Identity;
      readonly cause: ReleaseCause;
      /** A sentence for people. */
      readonly message: string;
    }
  | {
      readonly type: 'RUN_STARTED';
      readonly identity: Identity;
      readonly runId: RunId;
      /** 0 where the run makes no call. */
      readonly fence: bigint;
      readonly bootId: BootId;
      readonly address: string;
      /** Runs of this node that failed in a row before this one. */
      readonly failuresInRow: number;
    }
  | {
      readonly type: 'STEP_COMPLETED';
      readonly identity: Identity;
      readonly runId: RunId;
      readonly step: StepName;
      readonly tries: number;
      readonly durationMs: number;
    }
  | ({
      readonly type: 'STEP_FAILED';
      readonly identity: Identity;
      readonly runId: RunId;
    } & FailedAttempt)
  | {
      readonly type: 'RUN_FINISHED';
      readonly identity: Identity;
      readonly runId: RunId;
      readonly outcome: OutcomeKind;
      /** Empty for outcomes other than FAILED and UPGRADE_FAILED. */
      readonly reason: FailureReason | UpgradeFailureReason | '';
      readonly message: string;
      readonly durationMs: number;
      readonly nextState: NextState;
      /** How long the next state lasts by itself; undefined for QUEUED and RELEASED. */
      readonly nextStateMs: number | undefined;
      /** The last that it came to; undefined where it came to none. */
      readonly lastStep: StepName | undefined;
      /** PROVISIONED, but only the node's confirmation will tell. */
      readonly unsettled: boolean;
      /** Hex SHA-256 of the configuration that was made for the node; empty where none was. */
      readonly configurationDigest: string;
      /** Runs of this node that failed in a row, with this one. */
      readonly failuresInRow: number;
    }
  | {
      readonly type: 'NODE_CONFIRMED';
      readonly identity: Identity;
      readonly runId: RunId;
      /** Hex SHA-256. */
      readonly configurationDigest: string;
      /** True where this process did not run it and takes the node's word. */
      readonly onItsOwnWord: boolean;
      /** Since the end of the run, 0 before it; undefined where that is not known. */
      readonly afterMs: number | undefined;
    }
  | {
      readonly type: 'CONFIRMATION_MISSED';
      readonly identity: Identity;
      readonly runId: RunId;
      /** How long was waited, from the end of the run. */
      readonly timeoutMs: number;
    }
  | {
      readonly type: 'PROVISION_LOOP';
      readonly identity: Identity;
      readonly times: number;
      /** The time in which they were counted. */
      readonly withinMs: number;
      /** How long it backs off. */
      readonly backoffMs: number;
    }
  | {
      readonly type: 'NODE_CONFLICT';
      readonly identity: Identity;
      readonly address: string;
      readonly bootId: BootId;
      readonly newcomerAddress: string;
      /** Undefined where it is not known. */
      readonly newcomerBootId: BootId | undefined;
    }
  /** `by` is who asked, as far as is known. */
  | { readonly type: 'PAUSED'; readonly by: string; readonly message: string }
  | { readonly type: 'RESUMED'; readonly by: string; readonly message: string }
  | {
      readonly type: 'BREAKER_OPENED';
      /** Of the helper, in a row; reason and message are those of the last. */
      readonly failures: number;
      readonly reason: HelperFailureReason;
      readonly message: string;
    }
  /** `afterMs` is how long it was open. */
  | { readonly type: 'BREAKER_CLOSED'; readonly afterMs: number };

/** Takes events. It neither throws nor waits. */
export interface EventSink {
  publish(event: ProvisioningEvent): void;
}
