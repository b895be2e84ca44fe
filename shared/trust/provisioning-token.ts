// Provisioning tokens: what a node boots with (design, section 8).

import type { Secret } from '../secret.js';
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
  /** What the helper is told: known claims only, without `cht` and passwords; JSON text of an object. */
  readonly forHelperJson: string;
}

/**
 * Verifies a token as a node presents it. A token in the form of an HTTP header's `Bearer` is the caller's
 * matter; white space around it is let pass.
 *
 * @param now Unix seconds
 * @throws TrustError
 */
export async function verifyProvisioningToken(
  _token: string,
  _key: VerificationKey,
  _now: number,
): Promise<ProvisioningClaims> {
  throw new Error('not yet');
}

/**
 * Reads a node's own token, without verifying it: the node has no key to do so.
 *
 * @throws TrustError MALFORMED, CLAIM
 */
export function readProvisioningToken(_token: string): ProvisioningClaims {
  throw new Error('not yet');
}

export interface NewProvisioningToken {
  readonly secret: Secret;
  /** Unix seconds; undefined: does not expire. */
  readonly expiresAt?: number;
  readonly provisioningByDefault?: boolean;
  /** Hex SHA-256 of the CA certificate (DER). */
  readonly caSha256?: string;
}
