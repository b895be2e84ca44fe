// The lies that nodes tell, each of a kind that somebody can find out: who, and how, is a table of the manual
// (docs/configuration.md, "Personas"). How they are told is disguise.ts's matter, or, of faults, that of faults/.

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
  /** The node commits something else than it was sent, and says so whenever it is asked. */
  readonly misplaces: boolean;
  readonly faults: readonly Fault[];
}

const wrongDigest = always('configure', { kind: 'wrong-digest' });

/**
 * In the order in which liars have them. Whoever has its lie at a step that a site may leave out lies of its
 * configuration as well, so that no liar comes through where nobody asks for its own lie.
 */
export const lies: readonly [Lie, ...Lie[]] = [
  { kind: 'wrong-signature', misplaces: true, faults: [wrongDigest] },
  { kind: 'short-key', misplaces: true, faults: [wrongDigest] },
  { kind: 'garbage', misplaces: false, faults: [always('inventory', { kind: 'garbage' })] },
  { kind: 'wrong-digest', misplaces: true, faults: [wrongDigest] },
  { kind: 'wrong-identity', misplaces: false, faults: [always('identify', { kind: 'wrong-identity' })] },
  { kind: 'foreign-token', misplaces: true, faults: [wrongDigest] },
  { kind: 'foreign-request', misplaces: true, faults: [wrongDigest] },
  { kind: 'no-restart', misplaces: false, faults: [] },
];

function always(rpc: RpcWord, effect: Effect): Fault {
  return { identity: '*', rpc, effect, probability: 1, times: Number.POSITIVE_INFINITY };
}
