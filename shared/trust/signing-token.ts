// The token that lets a provisioner's key issue server tokens in an organisation: read and checked before it is
// used, with messages that say what to do.

import { verify } from 'node:crypto';
import { type ChainIssuer, checkIssuer, organizationPrefix } from './chain.js';
import { type Claims, checkTimes, textClaim, timeClaim } from './claims.js';
import { type OpenedToken, openToken, signedPart } from './compact-token.js';
import { decodeHex } from './hex.js';
import { publicKeyFromRaw, rawPublicKey } from './raw-keys.js';
import type { SigningKey } from './signing-key.js';
import { TrustError } from './trust-error.js';

export interface SigningToken extends ChainIssuer {
  /** Unix seconds, whole ones. */
  readonly expiresAt: number;
}

const purpose = 'choria_client_id';

/**
 * @param now Unix seconds
 * @throws TrustError where it cannot issue with that key
 */
export function readSigningToken(text: string, key: SigningKey, now: number): SigningToken {
  const token = open(text);
  const { claims } = token;
  const found = textClaim(claims, 'purpose');
  if (found !== purpose) {
    throw new TrustError(
      'PURPOSE',
      `the signing token's purpose is ${JSON.stringify(found.slice(0, 50))}, not ${purpose}; give a client token that may issue others`,
    );
  }
  const id = required(claims, 'jti');
  const publicKey = required(claims, 'public_key');
  const chainSignature = required(claims, 'tcs');
  const expiresAt = timeClaim(claims, 'exp');
  if (expiresAt === undefined) throw lacking('exp');
  checkKey(publicKey, key);
  checkOrganization(token, { id, publicKey, chainSignature });
  if (now >= expiresAt) {
    throw new TrustError(
      'EXPIRED',
      `the signing token expired at ${new Date(expiresAt * 1000).toISOString()}; get a new one from the organisation's issuer`,
    );
  }
  checkTimes({ expiresAt, notBefore: timeClaim(claims, 'nbf') }, now);
  return { id, publicKey, chainSignature, expiresAt: Math.floor(expiresAt) };
}

function open(text: string): OpenedToken {
  try {
    return openToken(text);
  } catch (error) {
    if (!(error instanceof TrustError)) throw error;
    throw new TrustError(error.fault, `the signing token cannot be read: ${error.message}`);
  }
}

function required(claims: Claims, name: string): string {
  const value = textClaim(claims, name);
  if (value === '') throw lacking(name);
  return value;
}

function lacking(name: string): TrustError {
  return new TrustError(
    'CLAIM',
    `the signing token has no ${name}; give one that the organisation's issuer made for an issuer of a chain`,
  );
}

function checkKey(publicKey: string, { key, algorithm }: SigningKey): void {
  if (algorithm !== 'EdDSA') {
    throw new TrustError(
      'KEY_UNSUITABLE',
      'with a signing token, the signing key must be the ed25519 key that the token was made for, not RSA',
    );
  }
  if (publicKey.toLowerCase() !== rawPublicKey(key).toString('hex')) {
    throw new TrustError(
      'CHAIN',
      "the signing token is for another key than the signing key; give the seed that belongs to the token's public_key",
    );
  }
}

/** Its own word for who made it is enough here: whoever verifies what is issued has the organisation's key. */
function checkOrganization(token: OpenedToken, issuer: ChainIssuer): void {
  const iss = textClaim(token.claims, 'iss');
  if (!iss.startsWith(organizationPrefix)) {
    throw new TrustError(
      'CHAIN',
      `the signing token was not made by an organisation's issuer (its iss does not begin with ${organizationPrefix}); nobody would trust what it issues`,
    );
  }
  const raw = decodeHex(
    iss.slice(organizationPrefix.length),
    32,
    "the organisation's key in the signing token's iss",
  );
  const organization = publicKeyFromRaw('ed25519', raw);
  checkIssuer(issuer, organization);
  const { data, signature } = signedPart(token);
  if (token.algorithm !== 'EdDSA' || !verify(null, data, organization, signature)) {
    throw new TrustError(
      'SIGNATURE',
      'the signing token is damaged: it is not signed by the organisation in its iss',
    );
  }
}
