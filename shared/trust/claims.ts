// Claims of tokens, read as Choria's own types have them: a claim of another type is refused, null is none.

import { TrustError } from './trust-error.js';

export type Claims = ReadonlyMap<string, unknown>;

/** @returns '' where there is none */
export function textClaim(claims: Claims, name: string): string {
  const value = claims.get(name) ?? '';
  if (typeof value !== 'string') throw wrongType(name, 'a text');
  return value;
}

/** @returns undefined where there is none */
export function flagClaim(claims: Claims, name: string): boolean | undefined {
  const value = claims.get(name) ?? undefined;
  if (value !== undefined && typeof value !== 'boolean') throw wrongType(name, 'true or false');
  return value;
}

/** @returns an empty list where there is none */
export function textsClaim(claims: Claims, name: string): string[] {
  const value = claims.get(name) ?? [];
  if (!Array.isArray(value) || !value.every((element) => typeof element === 'string')) {
    throw wrongType(name, 'a list of texts');
  }
  return value;
}

/** @returns undefined where there is none */
export function objectClaim(claims: Claims, name: string): ReadonlyMap<string, unknown> | undefined {
  const value = claims.get(name) ?? undefined;
  if (value === undefined) return undefined;
  if (typeof value !== 'object' || Array.isArray(value)) throw wrongType(name, 'an object');
  return new Map(Object.entries(value));
}

/** What a Date can be, in seconds. */
const furthest = 8.64e12;

/**
 * A time in Unix seconds: a number, also with a fraction, or a text that is a number in JSON.
 *
 * @returns undefined where there is none
 */
export function timeClaim(claims: Claims, name: string): number | undefined {
  const value = claims.get(name) ?? undefined;
  if (value === undefined) return undefined;
  const seconds = typeof value === 'string' && jsonNumber.test(value) ? Number(value) : value;
  if (typeof seconds !== 'number' || !(Math.abs(seconds) <= furthest)) {
    throw wrongType(name, 'a time in seconds since 1970');
  }
  return seconds;
}

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** One text or a list of them: what RFC 7519 allows for `aud`. */
export function audienceClaim(claims: Claims): string | string[] | undefined {
  const value = claims.get('aud') ?? undefined;
  if (value === undefined || typeof value === 'string') return value;
  return textsClaim(claims, 'aud');
}

/**
 * No leeway: a token is good from the second that it names until just before the one in which it ends.
 *
 * @param now Unix seconds
 * @throws TrustError EXPIRED, NOT_YET_VALID
 */
export function checkTimes(
  {
    expiresAt,
    notBefore,
  }: { readonly expiresAt: number | undefined; readonly notBefore: number | undefined },
  now: number,
): void {
  if (expiresAt !== undefined && now >= expiresAt) {
    throw new TrustError('EXPIRED', `the token expired at ${timeText(expiresAt)}`);
  }
  if (notBefore !== undefined && now < notBefore) {
    throw new TrustError('NOT_YET_VALID', `the token is not valid before ${timeText(notBefore)}`);
  }
}

/** @param seconds Unix seconds, within what {@link timeClaim} lets pass */
export function timeText(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

function wrongType(name: string, expected: string): TrustError {
  return new TrustError('CLAIM', `the claim ${name} must be ${expected}`);
}
