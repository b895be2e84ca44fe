// The public key that tokens are verified with, in each of its forms (design, section 8).

import { createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import { decodeHex } from './hex.js';
import { pemBlocks } from './pem.js';
import { publicKeyFromRaw } from './raw-keys.js';
import { TrustError } from './trust-error.js';

/** Signature algorithms of tokens. */
export type TokenAlgorithm = 'EdDSA' | 'RS256' | 'RS384' | 'RS512';

export interface VerificationKey {
  readonly key: KeyObject;
  /** Fixed by the key, never by a token's header. */
  readonly algorithms: readonly TokenAlgorithm[];
}

/**
 * Reads a public key: PEM (SPKI, PKCS#1 or a certificate) of RSA from 2048 bits or of ed25519, or an ed25519
 * key as 64 hex digits. White space around it is let pass.
 *
 * @throws TrustError MALFORMED, KEY_UNSUITABLE
 */
export function parseVerificationKey(text: string): VerificationKey {
  const trimmed = text.trim();
  if (!trimmed.includes('-----BEGIN ')) return ed25519(decodePlain(trimmed));
  const blocks = pemBlocks(trimmed);
  if (blocks.some(({ label }) => label.endsWith('PRIVATE KEY'))) {
    throw new TrustError(
      'KEY_UNSUITABLE',
      'this is a private key; give the public key that belongs to it, and keep the private one from here',
    );
  }
  const [block] = blocks;
  if (block === undefined) throw new TrustError('MALFORMED', 'the PEM block has no end that fits it');
  if (blocks.length > 1) throw new TrustError('MALFORMED', `${blocks.length} PEM blocks instead of one`);
  return verificationKey(readBlock(block.label, block.text));
}

function decodePlain(text: string): KeyObject {
  if (text === '') throw new TrustError('MALFORMED', 'it is empty');
  if (/^[0-9a-fA-F]{128}$/.test(text)) {
    throw new TrustError(
      'KEY_UNSUITABLE',
      '128 hex digits are a private key and its public key; give the last 64 of them, the public key',
    );
  }
  if (!/^[0-9a-fA-F]+$/.test(text)) {
    throw new TrustError('MALFORMED', 'it is neither PEM nor the 64 hex digits of an ed25519 public key');
  }
  return publicKeyFromRaw('ed25519', decodeHex(text, 32, 'an ed25519 public key'));
}

function ed25519(key: KeyObject): VerificationKey {
  return { key, algorithms: ['EdDSA'] };
}

function readBlock(label: string, pem: string): KeyObject {
  try {
    switch (label) {
      case 'PUBLIC KEY':
      case 'RSA PUBLIC KEY':
        return createPublicKey(pem);
      case 'CERTIFICATE':
        return new X509Certificate(pem).publicKey;
    }
  } catch (error) {
    throw new TrustError('MALFORMED', `the PEM block "${label}" cannot be read`, { cause: error });
  }
  throw new TrustError(
    'KEY_UNSUITABLE',
    `a PEM block "${label}" is no public key; expected PUBLIC KEY, RSA PUBLIC KEY or CERTIFICATE`,
  );
}

function verificationKey(key: KeyObject): VerificationKey {
  switch (key.asymmetricKeyType) {
    case 'ed25519':
      return ed25519(key);
    case 'rsa': {
      checkRsaSize(key);
      return { key, algorithms: ['RS256', 'RS384', 'RS512'] };
    }
    default:
      throw new TrustError(
        'KEY_UNSUITABLE',
        `a key of type ${key.asymmetricKeyType} is not accepted; expected ed25519, or RSA from 2048 bits`,
      );
  }
}

/** @throws TrustError KEY_UNSUITABLE where an RSA key has not from 2048 to 16384 bits, which is all OpenSSL uses */
export function checkRsaSize(key: KeyObject): void {
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
  if (bits < 2048 || bits > 16_384) {
    throw new TrustError(
      'KEY_UNSUITABLE',
      `an RSA key of ${bits} bits is not accepted; it needs 2048 or more`,
    );
  }
}
