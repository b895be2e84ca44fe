// The keys and certificates that the provisioner works with, as they are now: which can be used, and until when.

import type { SigningState } from '../enrolment/signing.js';

export interface CredentialStanding {
  /** Its setting. */
  readonly name: string;
  /** Unix milliseconds; undefined where it does not expire. */
  readonly expiresAt: number | undefined;
  /** Why it cannot be used, a sentence for people; undefined where it can. */
  readonly whyNot: string | undefined;
}

/** The service's own certificate. */
export interface CertificateSource {
  readonly current: { readonly expiresAt: number };
  /** Undefined while it is valid. */
  readonly whyExpired: string | undefined;
}

/** What signs server tokens. */
export interface SignerSource {
  /** Unix seconds. */
  readonly expiresAt: number | undefined;
  /** As its files were found last; undefined before the first look. */
  readonly lastSeen: SigningState | undefined;
}

export interface CredentialSources {
  /** Undefined where there is no TLS. */
  readonly certificate: CertificateSource | undefined;
  /** Undefined where nothing is signed. */
  readonly signer: SignerSource | undefined;
  /** Whether the signing key comes with a token of the organisation. */
  readonly hasSigningToken: boolean;
}

/** @returns one for each that there is */
export function credentialStandings({
  certificate,
  signer,
  hasSigningToken,
}: CredentialSources): readonly CredentialStanding[] {
  const standings: CredentialStanding[] = [];
  if (certificate !== undefined) {
    const { current, whyExpired: whyNot } = certificate;
    standings.push({ name: 'tls.cert', expiresAt: current.expiresAt, whyNot });
  }
  if (signer === undefined) return standings;
  const seen = signer.lastSeen;
  const whyNot = (name: string) =>
    seen?.kind === 'UNUSABLE' && seen.setting === name ? seen.why : undefined;
  standings.push({ name: 'jwt_signing_key', expiresAt: undefined, whyNot: whyNot('jwt_signing_key') });
  if (hasSigningToken) {
    const expiresAt = signer.expiresAt === undefined ? undefined : signer.expiresAt * 1000;
    standings.push({ name: 'jwt_signing_token', expiresAt, whyNot: whyNot('jwt_signing_token') });
  }
  return standings;
}
