// The challenge that shows that a node holds its new ed25519 key: bound to identity, run and nonce, so that an
// answer is good for nothing else (design, section 3).

import type { KeyObject } from 'node:crypto';

export interface ChallengeInput {
  readonly identity: string;
  readonly runId: string;
  readonly nonce: Uint8Array;
}

/** @returns the node's signature, 64 bytes */
export function signChallenge(_input: ChallengeInput, _privateKey: KeyObject): Buffer {
  throw new Error('not yet');
}

/** False for any malformed value: lengths other than 32 and 64 bytes, a point that is none. Never throws. */
export function verifyChallenge(
  _input: ChallengeInput,
  _publicKey: Uint8Array,
  _signature: Uint8Array,
): boolean {
  throw new Error('not yet');
}
