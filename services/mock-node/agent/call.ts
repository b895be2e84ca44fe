// A call as the agent sees it: which RPC, who calls, and with what.

import type { ReceivedNodeMetadata } from '../../../shared/grpc/node-metadata.js';
import type { RunId } from '../../../shared/identity.js';
import type { Configuration } from './configuration.js';

/** The RPCs that are checked: all but Identify. */
export type Rpc = 'GetInventory' | 'Configure' | 'Restart' | 'Shutdown' | 'Reprovision' | 'GetRunStatus';

/** The RPCs after which the agent stops, for good or to start again. */
export type StopRpc = 'Restart' | 'Shutdown' | 'Reprovision';

/** What a caller says of itself, not checked. */
export type Caller = ReceivedNodeMetadata;

/** A call, not checked. */
export interface Call {
  readonly caller: Caller;
  /** Aborted when the caller gave up or its deadline passed. */
  readonly signal: AbortSignal;
}

/** Arguments of the RPCs that have some worth checking. */
export type Arguments =
  | { readonly rpc: 'Configure'; readonly configuration: Configuration }
  | { readonly rpc: 'Restart'; readonly splayMs: number }
  | { readonly rpc: 'Shutdown' | 'Reprovision' };

/** Who holds the node: the run whose call last passed. */
export interface Hold {
  readonly site: string;
  readonly fence: bigint;
  readonly runId: RunId;
  /** Monotonic milliseconds of its last call. */
  readonly lastCallAt: number;
}

/** A stop that was accepted and has not happened yet. */
export interface PendingStop {
  readonly rpc: StopRpc;
  readonly runId: RunId;
  /** Monotonic milliseconds. */
  readonly at: number;
}
