// The lies that nodes tell, each of a kind that somebody can find out: who, and how, is a table of the manual
// (docs/operations.md, "Personas"). How they are told is liar.ts's matter; those that are faults, that of faults/.

import type { Effect, Fault, RpcWord } from '../faults/fault.js';

export type LieKind =
  /** The signature over the challenge is that over another one. */
  | 'wrong-signature'
  /** The public key of the ed25519 key has a byte too few. */
  | 'short-key'
  /** The inventory is bytes that are none. */
  | 'garbage'
  /** What was committed is not what was sent, and it says so. */
  | 'wrong-digest'
  /** What was committed is not what was sent, and that is said only once the node came up. */
  | 'wrong-arrival'
  /** Identify names another node. */
  | 'wrong-identity'
  /** The provisioning token is signed by nobody that the site knows. */
  | 'foreign-token'
  /** The certificate is asked for in the name of another node. */
  | 'foreign-request'
  /** Restart is accepted, and nothing follows. */
  | 'no-restart';

export interface Lie {
  readonly kind: LieKind;
  readonly faults: readonly Fault[];
}

/** In the order in which liars have them. */
export const lies: readonly [Lie, ...Lie[]] = [
  { kind: 'wrong-signature', faults: [] },
  { kind: 'short-key', faults: [] },
  { kind: 'garbage', faults: [always('inventory', { kind: 'garbage' })] },
  { kind: 'wrong-digest', faults: [] },
  { kind: 'wrong-arrival', faults: [] },
  { kind: 'wrong-identity', faults: [always('identify', { kind: 'wrong-identity' })] },
  { kind: 'foreign-token', faults: [] },
  { kind: 'foreign-request', faults: [] },
  { kind: 'no-restart', faults: [] },
];

function always(rpc: RpcWord, effect: Effect): Fault {
  return { identity: '*', rpc, effect, probability: 1, times: Number.POSITIVE_INFINITY };
}
