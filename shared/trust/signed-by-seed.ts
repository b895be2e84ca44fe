// Finds out one mistake: in hex an ed25519 seed and a public key look alike, and the seed was given where the public
// key belongs.

import { createPublicKey } from 'node:crypto';
import { openToken, verifySignature } from './compact-token.js';
import { ed25519KeyFromSeed, rawPublicKey } from './raw-keys.js';
import type { VerificationKey } from './verification-key.js';

/** @returns whether the bytes that were taken for a public key are the seed that the token is signed with */
export async function isSignedBySeed(token: string, { key }: VerificationKey): Promise<boolean> {
  if (key.asymmetricKeyType !== 'ed25519') return false;
  try {
    const signer = createPublicKey(ed25519KeyFromSeed(rawPublicKey(key)));
    await verifySignature(openToken(token), { key: signer, algorithms: ['EdDSA'] });
    return true;
  } catch {
    return false;
  }
}
