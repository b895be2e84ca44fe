// ed25519 keys as Choria keeps them: the seed and the public key, each as 64 hex digits.

import { generateKeyPairSync } from 'node:crypto';
import { Secret } from '../../shared/secret.js';
import { rawPublicKey, rawSeed } from '../../shared/trust/raw-keys.js';

export interface KeyPair {
  /** 64 hex digits. */
  readonly seed: Secret;
  /** 64 hex digits. */
  readonly publicKey: string;
}

/** Makes a key pair. */
export function newKeyPair(): KeyPair {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return {
    seed: new Secret(rawSeed(privateKey).toString('hex')),
    publicKey: rawPublicKey(publicKey).toString('hex'),
  };
}
