// Signs a server token as the provisioner does and reads what it says, so that cases are compared with the token
// itself and not with what was meant to be in it.

import { sign } from 'node:crypto';
import { newKsuid } from '../../shared/trust/ksuid.js';
import { ed25519KeyFromSeed, rawPublicKey } from '../../shared/trust/raw-keys.js';
import { createServerTokenIssuer, type ServerTokenClaims } from '../../shared/trust/server-token.js';
import { parseSigningKey, signToken } from '../../shared/trust/signing-key.js';

const signingSeed = '01'.repeat(32);
const organisationSeed = '02'.repeat(32);

/** Hex, of the node that tokens are signed for. */
export const nodePublicKey = publicKeyOf('03'.repeat(32));

/** What of a server token a helper has a say in, named as in the token. */
export interface MintedClaims {
  readonly ou: string;
  readonly collectives: string[];
  readonly pub_subjects?: string[];
  readonly permissions?: Record<string, boolean>;
  readonly exp: number;
}

/**
 * @param now Unix seconds
 * @param issuerExp when the signing token expires, Unix seconds; undefined for a token without a chain
 * @throws Error where the token is not the node's: what a helper says must never change whom it is for
 */
export async function mintServerToken(
  claims: ServerTokenClaims,
  now: number,
  issuerExp: number | undefined,
): Promise<MintedClaims> {
  const signingToken = issuerExp === undefined ? undefined : await newSigningToken(now, issuerExp);
  const token = await createServerTokenIssuer(signingSeed, signingToken, now).mint(claims, now);
  const { identity, public_key, purpose, iss, tcs, issexp, nbf, iat, jti, ...said } = payloadOf(token);
  const fixed = { identity, public_key, purpose, nbf, iat };
  const expected = {
    identity: claims.identity,
    public_key: nodePublicKey,
    purpose: 'choria_server',
    nbf: now,
    iat: now,
  };
  if (JSON.stringify(fixed) !== JSON.stringify(expected)) {
    throw new Error(`the token is another one than it should be: ${JSON.stringify(fixed)}`);
  }
  return said;
}

/** As an organisation gives it to a provisioner. */
function newSigningToken(now: number, exp: number): Promise<string> {
  const jti = newKsuid(now);
  const publicKey = publicKeyOf(signingSeed);
  const organisation = ed25519KeyFromSeed(Buffer.from(organisationSeed, 'hex'));
  const claims = {
    purpose: 'choria_client_id',
    tcs: sign(null, Buffer.from(`${jti}.${publicKey}`), organisation).toString('hex'),
    public_key: publicKey,
    iss: `I-${publicKeyOf(organisationSeed)}`,
    exp,
    nbf: now,
    iat: now,
    jti,
  };
  return signToken(claims, parseSigningKey(organisationSeed));
}

function publicKeyOf(seed: string): string {
  return rawPublicKey(ed25519KeyFromSeed(Buffer.from(seed, 'hex'))).toString('hex');
}

function payloadOf(token: string): MintedClaims & Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
}
