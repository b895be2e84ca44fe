// The challenge that shows that a node holds its new ed25519 key: bound to identity, run and nonce, so that an
// answer is good for nothing else (design, section 3).

import { type KeyObject, sign, verify } from 'node:crypto';
import { publicKeyFromRaw } from './raw-keys.js';

export interface ChallengeInput {
  readonly identity: string;
  readonly runId: string;
  readonly nonce: Uint8Array;
}

/** @returns the node's signature, 64 bytes */
export function signChallenge(input: ChallengeInput, privateKey: KeyObject): Buffer {
  return sign(null, challenge(input), privateKey);
}

/** False for any malformed value: lengths other than 32 and 64 bytes, a point that is none. Never throws. */
export function verifyChallenge(
  input: ChallengeInput,
  publicKey: Uint8Array,
  signature: Uint8Array,
): boolean {
  if (publicKey.length !== 32 || signature.length !== 64) return false;
  try {
    return verify(null, challenge(input), publicKeyFromRaw('ed25519', publicKey), signature);
  } catch {
    return false;
  }
}

function challenge({ identity, runId, nonce }: ChallengeInput): Buffer {
  const lines = ['slipway/v1/ed25519-challenge', identity, runId, Buffer.from(nonce).toString('hex')];
  return Buffer.from(lines.join('\n'), 'utf8');
}
