// A call as the agent sees it: which RPC, who calls, and with what.

import type { ReceivedNodeMetadata } from '../../../shared/grpc/node-metadata.js';
import type { RunId } from '../../../shared/identity.js';
import type { Configuration } from './configuration.js';
import type { CsrSubject } from './own-keys.js';
import type { Release } from './release.js';

/** The RPCs that are checked: all but Identify. */
export type Rpc =
  | 'GetJwt'
  | 'GenerateEd25519Key'
  | 'GetInventory'
  | 'GenerateCsr'
  | 'UpdateRelease'
  | 'Configure'
  | 'Restart'
  | 'Shutdown'
  | 'Reprovision'
  | 'GetRunStatus';

/** The RPCs after which the agent stops, for good or to start again. */
export type StopRpc = 'Restart' | 'Shutdown' | 'UpdateRelease' | 'Reprovision';

/** What a caller says of itself, not checked. */
export type Caller = ReceivedNodeMetadata;

/** A call, not checked. */
export interface Call {
  readonly caller: Caller;
  /** Aborted when the caller gave up or its deadline passed. */
  readonly signal: AbortSignal;
}

/** Arguments of the RPCs that change something. */
export type Arguments =
  | { readonly rpc: 'GenerateEd25519Key'; readonly nonce: Uint8Array }
  | { readonly rpc: 'GenerateCsr'; readonly subject: CsrSubject }
  | { readonly rpc: 'UpdateRelease'; readonly release: Release }
  | { readonly rpc: 'Configure'; readonly configuration: Configuration }
  | { readonly rpc: 'Restart'; readonly splayMs: number }
  | { readonly rpc: 'GetJwt' | 'Shutdown' | 'Reprovision' };

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
  /** Monotonic milliseconds; of an upgrade that is under way, when it is to be done. */
  readonly at: number;
}
