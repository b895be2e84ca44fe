// Server tokens: what a provisioned node proves itself with (design, section 8).

import type { VerificationKey } from './verification-key.js';

export interface ServerPermissions {
  readonly submission?: boolean;
  readonly streams?: boolean;
  readonly governor?: boolean;
  readonly serviceHost?: boolean;
}

/** What a server token says beside who issued it and when. */
export interface ServerTokenClaims {
  readonly identity: string;
  /** Hex ed25519 public key of the node. */
  readonly publicKey: string;
  readonly ou: string;
  readonly collectives: readonly string[];
  readonly pubSubjects?: readonly string[];
  readonly permissions?: ServerPermissions;
  /** Unix seconds. */
  readonly expiresAt: number;
}

/** Signs server tokens with one key, plain or under the token of a chain. */
export interface ServerTokenIssuer {
  /** Unix seconds when the signing token expires; undefined without one. */
  readonly expiresAt: number | undefined;
  /**
   * Mints a token; `expiresAt` is clipped to that of the signing token.
   *
   * @param now Unix seconds: nbf, iat and the time of the KSUID
   */
  mint(claims: ServerTokenClaims, now: number): Promise<string>;
}

/**
 * Makes an issuer of what the files hold.
 *
 * @param signingKey hex ed25519 seed, ed25519 PEM or RSA PEM
 * @param signingToken undefined for plain tokens
 * @param now Unix seconds
 * @throws TrustError whose message says what to do: the key is not the token's, the token has expired, is of
 *   another purpose, or lacks a claim
 */
export function createServerTokenIssuer(
  _signingKey: string,
  _signingToken: string | undefined,
  _now: number,
): ServerTokenIssuer {
  throw new Error('not yet');
}

/**
 * Verifies a server token with the organisation's key, plain or chained.
 *
 * @param now Unix seconds
 * @throws TrustError
 */
export async function verifyServerToken(
  _token: string,
  _key: VerificationKey,
  _now: number,
): Promise<ServerTokenClaims> {
  throw new Error('not yet');
}
