// Server tokens: what a provisioned node proves itself with (design, section 8).

import { chainClaims, chainPrefix, verifyChain } from './chain.js';
import {
  audienceClaim,
  type Claims,
  checkTimes,
  flagClaim,
  objectClaim,
  textClaim,
  textsClaim,
  timeClaim,
} from './claims.js';
import { openToken, verifySignature } from './compact-token.js';
import { newKsuid } from './ksuid.js';
import { parseSigningKey, type SigningKey, signToken } from './signing-key.js';
import { readSigningToken, type SigningToken } from './signing-token.js';
import { TrustError } from './trust-error.js';
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
   * @throws TrustError EXPIRED where the signing token has expired meanwhile
   */
  mint(claims: ServerTokenClaims, now: number): Promise<string>;
}

const purpose = 'choria_server';

/**
 * Makes an issuer of what the files hold.
 *
 * @param signingKey hex ed25519 seed, ed25519 PEM or RSA PEM
 * @param signingToken undefined for plain tokens
 * @param now Unix seconds
 * @param newId makes the id of a token of that second (Unix)
 * @throws TrustError whose message says what to do: the key is not the token's, the token has expired, is of
 *   another purpose, or lacks a claim
 */
export function createServerTokenIssuer(
  signingKey: string,
  signingToken: string | undefined,
  now: number,
  newId: (seconds: number) => string = newKsuid,
): ServerTokenIssuer {
  const key = parseSigningKey(signingKey);
  const issuer = signingToken === undefined ? undefined : readSigningToken(signingToken, key, now);
  return {
    expiresAt: issuer?.expiresAt,
    mint: async (claims, at) => {
      const seconds = Math.floor(at);
      if (issuer !== undefined) checkTimes({ expiresAt: issuer.expiresAt, notBefore: undefined }, seconds);
      return signToken(serverClaims(claims, { key, issuer, seconds, id: newId(seconds) }), key);
    },
  };
}

/**
 * What a token that is minted at that moment says, but for its id and whatever it has of who signs it.
 *
 * @param now Unix seconds
 * @param issuerExpiresAt Unix seconds when the signing token expires; undefined without one
 */
export function unsignedServerClaims(
  claims: ServerTokenClaims,
  now: number,
  issuerExpiresAt: number | undefined,
): object {
  return bodyOf(claims, { seconds: Math.floor(now), issexp: issuerExpiresAt });
}

interface Minting {
  readonly key: SigningKey;
  readonly issuer: SigningToken | undefined;
  readonly seconds: number;
  readonly id: string;
}

function serverClaims(claims: ServerTokenClaims, { key, issuer, seconds, id }: Minting): object {
  const { iss, tcs } = issuer
    ? chainClaims(issuer, id, key.key)
    : { iss: 'Choria Provisioner', tcs: undefined };
  return bodyOf(claims, { seconds, issexp: issuer?.expiresAt, iss, tcs, id });
}

interface Issue {
  readonly seconds: number;
  readonly issexp: number | undefined;
  readonly iss?: string;
  readonly tcs?: string | undefined;
  readonly id?: string;
}

/** In the order in which Choria has them, what is empty left out as it does. */
function bodyOf(claims: ServerTokenClaims, { seconds, issexp, iss, tcs, id }: Issue): object {
  return {
    identity: claims.identity,
    collectives: claims.collectives,
    permissions: claims.permissions && {
      submission: claims.permissions.submission || undefined,
      streams: claims.permissions.streams || undefined,
      governor: claims.permissions.governor || undefined,
      service_host: claims.permissions.serviceHost || undefined,
    },
    ou: claims.ou || undefined,
    pub_subjects: claims.pubSubjects?.length ? claims.pubSubjects : undefined,
    purpose,
    tcs,
    public_key: claims.publicKey || undefined,
    issexp,
    iss,
    exp: Math.min(Math.floor(claims.expiresAt), issexp ?? Number.POSITIVE_INFINITY),
    nbf: seconds,
    iat: seconds,
    jti: id,
  };
}

/** A server token's claims as somebody else made them; a plain one need not expire. */
export interface VerifiedServerToken extends Omit<ServerTokenClaims, 'expiresAt'> {
  /** Unix seconds; undefined where the token does not expire. */
  readonly expiresAt: number | undefined;
}

/**
 * Verifies a server token with the organisation's key, plain or chained.
 *
 * @param now Unix seconds
 * @throws TrustError
 */
export async function verifyServerToken(
  token: string,
  key: VerificationKey,
  now: number,
): Promise<VerifiedServerToken> {
  const opened = openToken(token);
  const chained = isChained(opened.claims);
  await verifySignature(opened, chained ? verifyChain(opened.claims, key) : key);
  const found = textClaim(opened.claims, 'purpose');
  if (found !== purpose) {
    throw new TrustError(
      'PURPOSE',
      `the token's purpose is ${JSON.stringify(found.slice(0, 50))}, not ${purpose}`,
    );
  }
  const claims = readClaims(opened.claims);
  if (!chained && textClaim(opened.claims, 'tcs') !== '') {
    throw new TrustError('CHAIN', `the token has a tcs, but its iss does not begin with ${chainPrefix}`);
  }
  const issuerExpiresAt = timeClaim(opened.claims, 'issexp');
  if (chained && issuerExpiresAt !== undefined && now >= issuerExpiresAt) {
    throw new TrustError('EXPIRED', "the token's issuer has expired (issexp)");
  }
  checkTimes({ expiresAt: claims.expiresAt, notBefore: timeClaim(opened.claims, 'nbf') }, now);
  return claims;
}

/** A claim of the wrong type is told after the signature was verified. */
function isChained(claims: Claims): boolean {
  const iss = claims.get('iss');
  return typeof iss === 'string' && iss.startsWith(chainPrefix);
}

/** @throws TrustError CLAIM for any claim of the wrong type, also one that is not used */
function readClaims(claims: Claims): VerifiedServerToken {
  for (const name of ['iss', 'sub', 'jti']) textClaim(claims, name);
  timeClaim(claims, 'iat');
  audienceClaim(claims);
  const permissions = objectClaim(claims, 'permissions');
  return {
    identity: textClaim(claims, 'identity'),
    publicKey: textClaim(claims, 'public_key'),
    ou: textClaim(claims, 'ou'),
    collectives: textsClaim(claims, 'collectives'),
    pubSubjects: textsClaim(claims, 'pub_subjects'),
    ...(permissions && {
      permissions: {
        submission: flagClaim(permissions, 'submission') ?? false,
        streams: flagClaim(permissions, 'streams') ?? false,
        governor: flagClaim(permissions, 'governor') ?? false,
        serviceHost: flagClaim(permissions, 'service_host') ?? false,
      },
    }),
    expiresAt: timeClaim(claims, 'exp'),
  };
}
