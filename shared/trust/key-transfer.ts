// A private key on its way to a node: classic encrypted PEM under the secret of an X25519 exchange (design,
// section 8).

import type { KeyObject } from 'node:crypto';
import type { Secret } from '../secret.js';

export interface X25519Pair {
  readonly privateKey: KeyObject;
  /** 32 bytes. */
  readonly publicKey: Buffer;
}

export function newX25519Pair(): X25519Pair {
  throw new Error('not yet');
}

/**
 * The raw shared secret, 32 bytes.
 *
 * @param theirs the peer's public key
 * @throws TrustError MALFORMED where it has not 32 bytes or is a point of low order
 */
export function sharedSecret(_ours: KeyObject, _theirs: Uint8Array): Buffer {
  throw new Error('not yet');
}

/**
 * Encrypts a private key: `Proc-Type: 4,ENCRYPTED`, AES-256-CBC, PKCS#1.
 *
 * @param key PEM of an RSA key, PKCS#1
 * @param passphrase the shared secret
 * @throws TrustError KEY_UNSUITABLE, MALFORMED; the message says what was expected and never quotes the key
 */
export function encryptKey(_key: Secret, _passphrase: Uint8Array): string {
  throw new Error('not yet');
}

/**
 * Decrypts and parses what {@link encryptKey} or another maker of classic encrypted PEM wrote.
 *
 * @returns PEM, PKCS#1
 * @throws TrustError MALFORMED: no such PEM, not encrypted, another passphrase
 */
export function decryptKey(_pem: string, _passphrase: Uint8Array): Secret {
  throw new Error('not yet');
}
