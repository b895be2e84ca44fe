// Tokens in their compact form (RFC 7515): taken apart, and checked against a key. What their claims mean is the
// matter of provisioning-token.ts and server-token.ts.

import { compactVerify, errors } from 'jose';
import { TrustError } from './trust-error.js';
import type { VerificationKey } from './verification-key.js';

/** A token taken apart; nothing of it is to be believed until its signature was verified. */
export interface OpenedToken {
  /** The token itself, without white space around it. */
  readonly text: string;
  readonly algorithm: string;
  /** Whether its header names extensions without which it is not to be understood. */
  readonly critical: boolean;
  readonly claims: ReadonlyMap<string, unknown>;
}

/** Choria's have about 1 kB. What is longer than this is not looked at. */
const longestToken = 64 * 1024;

/** @throws TrustError MALFORMED */
export function openToken(token: string): OpenedToken {
  if (token.length > longestToken) {
    throw new TrustError('MALFORMED', `a token of ${token.length} characters is too long`);
  }
  const text = token.trim();
  const parts = text.split('.');
  const [header = '', payload = '', signature = ''] = parts;
  if (parts.length !== 3) throw new TrustError('MALFORMED', 'a token has three parts with dots between them');
  const { alg, crit } = Object.fromEntries(decodeObject(header, "the token's header"));
  // Its own check: a signature with other unused bits at its end would be another text for the same token.
  decodePart(signature, "the token's signature");
  return {
    text,
    algorithm: typeof alg === 'string' ? alg : '',
    critical: crit !== undefined,
    claims: decodeObject(payload, 'the claims of the token'),
  };
}

/**
 * Verifies the signature. Which algorithms are allowed is said by the key, never by the token.
 *
 * @throws TrustError ALGORITHM, SIGNATURE; MALFORMED where the header demands what is not known
 */
export async function verifySignature(token: OpenedToken, key: VerificationKey): Promise<void> {
  if (!key.algorithms.some((allowed) => allowed === token.algorithm)) {
    const named = token.algorithm.slice(0, 20);
    throw new TrustError(
      'ALGORITHM',
      `the token names the algorithm ${JSON.stringify(named)}; the key allows ${key.algorithms.join(', ')}`,
    );
  }
  // Also b64, which jose knows: the claims would be something else than what was read as such (RFC 7797).
  if (token.critical) {
    throw new TrustError('MALFORMED', "the token's header demands an extension (crit), and none is known");
  }
  try {
    await compactVerify(token.text, key.key, { algorithms: [...key.algorithms] });
  } catch (error) {
    if (error instanceof errors.JWSSignatureVerificationFailed) {
      throw new TrustError('SIGNATURE', 'the token is not signed by the key that it is verified with');
    }
    const why = error instanceof errors.JOSEError ? error.message : 'it cannot be verified';
    throw new TrustError('MALFORMED', `the token is not usable: ${why}`, { cause: error });
  }
}

/** @returns what the signature is over, and the signature */
export function signedPart({ text }: OpenedToken): { data: Buffer; signature: Buffer } {
  const end = text.lastIndexOf('.');
  return { data: Buffer.from(text.slice(0, end)), signature: Buffer.from(text.slice(end + 1), 'base64url') };
}

function decodePart(part: string, what: string): Buffer {
  const bytes = Buffer.from(part, 'base64url');
  if (bytes.toString('base64url') !== part) throw new TrustError('MALFORMED', `${what} is no base64url`);
  return bytes;
}

function decodeObject(part: string, what: string): ReadonlyMap<string, unknown> {
  const bytes = decodePart(part, what);
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    throw new TrustError('MALFORMED', `${what}: expected JSON`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new TrustError('MALFORMED', `${what}: expected a JSON object`);
  }
  return new Map(Object.entries(value));
}
