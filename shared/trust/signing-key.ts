// The private key that tokens are signed with, and signing as Choria's own tools do: the same header, the same
// bytes of JSON.

import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';
import { decodeHex } from './hex.js';
import { pemBlocks } from './pem.js';
import { ed25519KeyFromSeed } from './raw-keys.js';
import { TrustError } from './trust-error.js';
import { checkRsaSize } from './verification-key.js';

export interface SigningKey {
  readonly key: KeyObject;
  readonly algorithm: 'EdDSA' | 'RS256';
}

/**
 * Reads a private key: an ed25519 seed as 64 hex digits, or PEM (PKCS#8, or PKCS#1 of RSA) of ed25519 or of RSA
 * from 2048 bits. White space around it is let pass.
 *
 * @throws TrustError MALFORMED, KEY_UNSUITABLE; the message does not quote the key
 */
export function parseSigningKey(text: string): SigningKey {
  const trimmed = text.trim();
  if (trimmed.includes('-----BEGIN ')) return signingKey(readPem(trimmed));
  if (/^[0-9a-fA-F]{128}$/.test(trimmed)) {
    throw new TrustError(
      'KEY_UNSUITABLE',
      'the signing key is a seed and its public key, 128 hex digits; give the first 64 of them, the seed',
    );
  }
  if (!/^[0-9a-fA-F]+$/.test(trimmed)) {
    throw new TrustError(
      'MALFORMED',
      'the signing key is neither PEM nor the 64 hex digits of an ed25519 seed',
    );
  }
  return { key: ed25519KeyFromSeed(decodeHex(trimmed, 32, 'an ed25519 seed')), algorithm: 'EdDSA' };
}

function readPem(pem: string): KeyObject {
  const blocks = pemBlocks(pem);
  const [block] = blocks;
  if (block === undefined || blocks.length > 1) {
    throw new TrustError('MALFORMED', `the signing key must be one PEM block, not ${blocks.length}`);
  }
  if (!block.label.endsWith('PRIVATE KEY')) {
    throw new TrustError(
      'KEY_UNSUITABLE',
      `the signing key is a PEM block "${block.label}"; give the private key`,
    );
  }
  if (block.label.startsWith('ENCRYPTED') || /ENCRYPTED\s*$/m.test(block.text)) {
    throw new TrustError('KEY_UNSUITABLE', 'the signing key is encrypted; it must be in the clear');
  }
  try {
    return createPrivateKey(block.text);
  } catch {
    throw new TrustError('MALFORMED', `the signing key, a PEM block "${block.label}", cannot be read`);
  }
}

function signingKey(key: KeyObject): SigningKey {
  switch (key.asymmetricKeyType) {
    case 'ed25519':
      return { key, algorithm: 'EdDSA' };
    case 'rsa':
      checkRsaSize(key);
      return { key, algorithm: 'RS256' };
    default:
      throw new TrustError(
        'KEY_UNSUITABLE',
        `a key of type ${key.asymmetricKeyType} cannot sign tokens; expected ed25519, or RSA from 2048 bits`,
      );
  }
}

const signAside = promisify(sign);

/** @param claims in the order in which they are to stand; undefined ones are left out */
export async function signToken(claims: object, { key, algorithm }: SigningKey): Promise<string> {
  const text = `${base64url(JSON.stringify({ alg: algorithm, typ: 'JWT' }))}.${base64url(goJson(claims))}`;
  const data = Buffer.from(text);
  // With ed25519 it takes less than the way to another thread and back, with RSA a millisecond or more.
  const signature = algorithm === 'EdDSA' ? sign(null, data, key) : await signAside('sha256', data, key);
  return `${text}.${signature.toString('base64url')}`;
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url');
}

/** What Go's encoder writes in another way than JavaScript's, so that it can stand in HTML and in scripts. */
function goJson(value: object): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
