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
  if (publicKey.length !== 32 || signature.length !== 64 || isWeak(publicKey)) return false;
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

const prime = 2n ** 255n - 19n;

/** A y coordinate of the points of order 8; its negative is the other one. */
const orderEight = 0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n;

/** The y coordinates of the points of low order. */
const lowOrder: ReadonlySet<bigint> = new Set([0n, 1n, prime - 1n, orderEight, prime - orderEight]);

/**
 * Under a key of low order there are signatures that fit every message, which anybody can write down; OpenSSL
 * takes them, and also coordinates that are written with more than they are.
 */
function isWeak(publicKey: Uint8Array): boolean {
  const bigEndian = Buffer.from(publicKey).reverse().toString('hex');
  const y = BigInt(`0x${bigEndian}`) & (2n ** 255n - 1n);
  return y >= prime || lowOrder.has(y);
}
