// Provisioning tokens: what a node boots with (design, section 8).

import { Secret } from '../secret.js';
import {
  audienceClaim,
  type Claims,
  checkTimes,
  flagClaim,
  objectClaim,
  textClaim,
  timeClaim,
} from './claims.js';
import { openToken, verifySignature } from './compact-token.js';
import { TrustError } from './trust-error.js';
import type { VerificationKey } from './verification-key.js';

export interface ProvisioningClaims {
  /** The provisioning secret, `cht`; undefined where the token has none. */
  readonly secret: Secret | undefined;
  /** Whether a node whose settings do not say so is in provisioning mode, `chpd`; undefined where not said. */
  readonly provisioningByDefault: boolean | undefined;
  /** Hex SHA-256 of the CA certificate that the node accepts, `extensions.slipway_ca_sha256`; empty without. */
  readonly caSha256: string;
  /** Unix seconds; undefined where the token does not expire. */
  readonly expiresAt: number | undefined;
  /** Unix seconds; undefined where the token is valid from ever. */
  readonly notBefore: number | undefined;
  /** What the helper is told: known claims only, without `cht` and passwords; JSON text of an object. */
  readonly forHelperJson: string;
}

/** Purpose and subject of a provisioning token. */
export const provisioningPurpose = 'choria_provisioning';

/**
 * Verifies a token as a node presents it. A token in the form of an HTTP header's `Bearer` is the caller's
 * matter; white space around it is let pass.
 *
 * @param now Unix seconds
 * @throws TrustError
 */
export async function verifyProvisioningToken(
  token: string,
  key: VerificationKey,
  now: number,
): Promise<ProvisioningClaims> {
  const opened = openToken(token);
  await verifySignature(opened, key);
  const claims = readClaims(opened.claims);
  // Its chain would have to be verified against an organisation's key, which is not this one.
  if (textClaim(opened.claims, 'tcs') !== '') {
    throw new TrustError('CHAIN', 'a provisioning token must not be part of a chain of issuers (tcs)');
  }
  checkTimes(claims, now);
  return claims;
}

/**
 * Reads a node's own token, without verifying it: the node has no key to do so.
 *
 * @throws TrustError MALFORMED, PURPOSE, CLAIM
 */
export function readProvisioningToken(token: string): ProvisioningClaims {
  return readClaims(openToken(token).claims);
}

/** @throws TrustError PURPOSE, CLAIM */
function readClaims(claims: Claims): ProvisioningClaims {
  // Very old tokens have no purpose. With one, the subject means nothing.
  const purpose = textClaim(claims, 'purpose') || textClaim(claims, 'sub');
  if (purpose !== provisioningPurpose) {
    throw new TrustError(
      'PURPOSE',
      `the token's purpose is ${JSON.stringify(purpose.slice(0, 50))}, not ${provisioningPurpose}`,
    );
  }
  const secret = textClaim(claims, 'cht');
  textClaim(claims, 'chpwd');
  return {
    secret: secret === '' ? undefined : new Secret(secret),
    provisioningByDefault: flagClaim(claims, 'chpd'),
    caSha256: caSha256(claims),
    expiresAt: timeClaim(claims, 'exp'),
    notBefore: timeClaim(claims, 'nbf'),
    forHelperJson: forHelper(claims),
  };
}

function caSha256(claims: Claims): string {
  const value = objectClaim(claims, 'extensions')?.get('slipway_ca_sha256') ?? '';
  if (typeof value !== 'string' || !/^(?:[0-9a-fA-F]{64})?$/.test(value)) {
    throw new TrustError('CLAIM', 'the claim extensions.slipway_ca_sha256 must be 64 hex digits');
  }
  return value.toLowerCase();
}

/** The claims in the order in which Choria has them, those that are empty left out as it does. */
function forHelper(claims: Claims): string {
  const text = (name: string) => textClaim(claims, name) || undefined;
  const flag = (name: string) => flagClaim(claims, name) || undefined;
  const time = (name: string) => timeClaim(claims, name);
  const extensions = objectClaim(claims, 'extensions');
  if (isTooDeep(claims.get('extensions'))) {
    throw new TrustError('CLAIM', 'the claim extensions is nested too deeply');
  }
  return JSON.stringify({
    chs: flagClaim(claims, 'chs') ?? false,
    chu: text('chu'),
    chsrv: text('chsrv'),
    chpd: flagClaim(claims, 'chpd') ?? false,
    chrd: text('chrd'),
    chf: text('chf'),
    chusr: text('chusr'),
    extensions: extensions === undefined ? null : Object.fromEntries(extensions),
    ou: textClaim(claims, 'ou') || 'choria',
    v2: flag('v2'),
    update: flag('update'),
    purpose: textClaim(claims, 'purpose'),
    public_key: text('public_key'),
    issexp: time('issexp'),
    iss: text('iss'),
    sub: text('sub'),
    aud: audienceClaim(claims),
    exp: time('exp'),
    nbf: time('nbf'),
    iat: time('iat'),
    jti: text('jti'),
  });
}

/** Readers of JSON stop at some depth, Ruby's at 100. Nobody's extensions come near. */
const deepest = 50;

/** Not by calling itself: a token may nest more deeply than there is stack. */
function isTooDeep(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > deepest) return true;
    level = level.flatMap((element) =>
      typeof element === 'object' && element !== null ? Object.values(element) : [],
    );
  }
  return false;
}
