// Keys of curve 25519 as the 32 bytes that tokens and calls carry, to and from what node:crypto works with.

import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { TrustError } from './trust-error.js';

type Curve = 'ed25519' | 'x25519';

/** The curves' names in JWK (RFC 8037). */
const jwkName: Readonly<Record<Curve, string>> = { ed25519: 'Ed25519', x25519: 'X25519' };

/** What stands before the 32 bytes of a seed in DER (RFC 8410). */
const seedPrefix = Buffer.from('302e020100300506032b657004220420', 'hex');

/** @throws TrustError MALFORMED where it has not 32 bytes, or is an ed25519 key under which anybody can sign */
export function publicKeyFromRaw(curve: Curve, raw: Uint8Array): KeyObject {
  if (raw.length !== 32) throw new TrustError('MALFORMED', `an ${curve} key has 32 bytes, not ${raw.length}`);
  if (curve === 'ed25519' && isWeak(raw)) {
    throw new TrustError('MALFORMED', 'the ed25519 key is a point of low order, or none');
  }
  // Read as DER it would take ten times as long, and each node has a key.
  const x = Buffer.from(raw).toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: jwkName[curve], x }, format: 'jwk' });
}

/** @throws TrustError MALFORMED where it has not 32 bytes */
export function ed25519KeyFromSeed(seed: Uint8Array): KeyObject {
  if (seed.length !== 32) {
    throw new TrustError('MALFORMED', `an ed25519 seed has 32 bytes, not ${seed.length}`);
  }
  return createPrivateKey({ key: Buffer.concat([seedPrefix, seed]), format: 'der', type: 'pkcs8' });
}

/** @returns the 32 bytes of an ed25519 or x25519 key's public half; a private key's is taken from it */
export function rawPublicKey(key: KeyObject): Buffer {
  const publicHalf = key.type === 'private' ? createPublicKey(key) : key;
  return publicHalf.export({ format: 'der', type: 'spki' }).subarray(-32);
}

/** @returns the 32 bytes that an ed25519 private key was made of */
export function rawSeed(privateKey: KeyObject): Buffer {
  return privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32);
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
