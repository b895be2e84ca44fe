// The chain of issuers of a token: an organisation's key signs for an issuer's key, and that one for the token
// (design, section 8). Each token is signed by its issuer's key, and says in `iss` and `tcs` why that is trusted.

import { type KeyObject, sign, verify } from 'node:crypto';
import { type Claims, textClaim, timeClaim, timeText } from './claims.js';
import { decodeHex } from './hex.js';
import { ksuidTime } from './ksuid.js';
import { publicKeyFromRaw } from './raw-keys.js';
import { TrustError } from './trust-error.js';
import type { VerificationKey } from './verification-key.js';

/** Issuer of a token that the organisation's key signed, followed by that key. */
export const organizationPrefix = 'I-';
/** Issuer of a token that a chain's issuer signed, followed by that one's token id, a dot and its key. */
export const chainPrefix = 'C-';

/** Who issues: what of its token goes into what it issues. */
export interface ChainIssuer {
  readonly id: string;
  /** 64 hex digits. */
  readonly publicKey: string;
  /** The organisation's signature over id and key, hex. */
  readonly chainSignature: string;
}

/** @returns `iss` and `tcs` of a token with that id */
export function chainClaims(issuer: ChainIssuer, id: string, key: KeyObject): { iss: string; tcs: string } {
  const own = sign(null, issuedData(id, issuer.chainSignature), key).toString('hex');
  return {
    iss: `${chainPrefix}${issuer.id}.${issuer.publicKey}`,
    tcs: `${issuer.chainSignature}.${own}`,
  };
}

/** @throws TrustError CHAIN where the organisation did not sign for the issuer */
export function checkIssuer(issuer: ChainIssuer, organization: KeyObject): void {
  // Signed is the key as it is written in lower case, whatever the token has.
  const data = Buffer.from(`${issuer.id}.${issuer.publicKey.toLowerCase()}`);
  if (!verify(null, data, organization, signature(issuer.chainSignature))) {
    throw new TrustError(
      'CHAIN',
      "the chain's issuer (iss, tcs) is not one that the organisation's key signed for",
    );
  }
}

/**
 * Follows the chain of a token whose issuer is one of a chain.
 *
 * @returns the issuer's key, which must have signed the token
 * @throws TrustError CLAIM, CHAIN; KEY_UNSUITABLE where the organisation's key is not ed25519
 */
export function verifyChain(claims: Claims, organization: VerificationKey): VerificationKey {
  if (organization.key.asymmetricKeyType !== 'ed25519') {
    throw new TrustError('KEY_UNSUITABLE', "a chain is verified with the organisation's ed25519 key");
  }
  const id = requiredText(claims, 'jti');
  requiredText(claims, 'public_key');
  requiredTime(claims, 'exp');
  requiredTime(claims, 'issexp');
  const issuedAt = requiredTime(claims, 'iat');
  const idTime = ksuidTime(id);
  if (idTime === undefined) throw new TrustError('CLAIM', 'the claim jti must be a KSUID');
  if (idTime !== issuedAt) {
    throw new TrustError(
      'CLAIM',
      `the token's id is of ${timeText(idTime)}, its iat of ${timeText(issuedAt)}`,
    );
  }
  const [issuerId, publicKey] = twoParts(textClaim(claims, 'iss').slice(chainPrefix.length), 'iss');
  const [chainSignature, own] = twoParts(textClaim(claims, 'tcs'), 'tcs');
  checkIssuer({ id: issuerId, publicKey, chainSignature }, organization.key);
  const key = issuerKey(publicKey);
  if (!verify(null, issuedData(id, chainSignature), key, signature(own))) {
    throw new TrustError('CHAIN', "the token's chain (tcs) is not signed by its issuer for this token's id");
  }
  return { key, algorithms: ['EdDSA'] };
}

function issuedData(id: string, chainSignature: string): Buffer {
  return Buffer.from(`${id}.${chainSignature}`);
}

function requiredText(claims: Claims, name: string): string {
  const value = textClaim(claims, name);
  if (value === '') throw missing(name);
  return value;
}

function requiredTime(claims: Claims, name: string): number {
  const value = timeClaim(claims, name);
  if (value === undefined) throw missing(name);
  return value;
}

function missing(name: string): TrustError {
  return new TrustError('CLAIM', `the claim ${name} is missing, which a token of a chain must have`);
}

function twoParts(text: string, name: string): [string, string] {
  const [first = '', second = '', ...more] = text.split('.');
  if (first === '' || second === '' || more.length > 0) {
    throw new TrustError('CHAIN', `the claim ${name} of a token of a chain must have two parts with a dot`);
  }
  return [first, second];
}

function issuerKey(publicKey: string): KeyObject {
  return asChainFault(() => publicKeyFromRaw('ed25519', decodeHex(publicKey, 32, "the issuer's key in iss")));
}

function signature(hex: string): Buffer {
  return asChainFault(() => decodeHex(hex, 64, 'a signature in tcs'));
}

function asChainFault<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof TrustError) throw new TrustError('CHAIN', error.message);
    throw error;
  }
}
