// An organisation for tests, the keys of its chain of issuers always the same, and the token that lets its
// provisioner issue others.

import { sign } from 'node:crypto';
import { ed25519KeyFromSeed, rawPublicKey } from '../../shared/trust/raw-keys.js';
import { parseSigningKey, signToken } from '../../shared/trust/signing-key.js';
import { TrustError } from '../../shared/trust/trust-error.js';

/** Unix seconds, in which everything was issued. */
export const issuedAt = 1_750_000_000;

/** Hex seeds of those whose keys are in the chain. */
export const seeds = { organization: seedOf(1), provisioner: seedOf(2), node: seedOf(3) };

function seedOf(number: number): string {
  return Buffer.alloc(32, number).toString('hex');
}

/** @returns hex */
export function publicOf(seed: string): string {
  return rawPublicKey(ed25519KeyFromSeed(Buffer.from(seed, 'hex'))).toString('hex');
}

/** @returns a signature over a text, hex */
export function signatureBy(seed: string, text: string): string {
  return sign(null, Buffer.from(text), ed25519KeyFromSeed(Buffer.from(seed, 'hex'))).toString('hex');
}

/**
 * @param organization hex seed of who signs
 * @param holder hex seed of whose token it is
 * @param id a KSUID of that second
 * @returns the claims of a token that lets its holder issue others
 */
export function issuerClaims(organization: string, holder: string, id: string) {
  return {
    callerid: 'provisioner_signer',
    purpose: 'choria_client_id',
    tcs: signatureBy(organization, `${id}.${publicOf(holder)}`),
    public_key: publicOf(holder),
    iss: `I-${publicOf(organization)}`,
    exp: 4_000_000_000,
    nbf: issuedAt,
    iat: issuedAt,
    jti: id,
  };
}

/** The claims of the provisioner's own token. */
export const provisionerClaims = issuerClaims(
  seeds.organization,
  seeds.provisioner,
  '2yY8AB06KFtlxl7ZvFjl4IXobqb',
);

/** @param own claims that are other than they should be */
export function signingToken(own: object = {}): Promise<string> {
  return signToken({ ...provisionerClaims, ...own }, parseSigningKey(seeds.organization));
}

/** @returns 'none' or the fault; whatever else is thrown goes on */
export async function faultOf(attempt: () => unknown): Promise<string> {
  try {
    await attempt();
    return 'none';
  } catch (error) {
    if (error instanceof TrustError) return error.fault;
    throw error;
  }
}
