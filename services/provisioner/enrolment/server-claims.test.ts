import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { helperReply } from '../../../test/fakes/fake-helper.js';
import type { HelperReply } from '../helper/helper.js';
import { type ServerClaimsContext, type ServerClaimsResult, serverClaimsOf } from './server-claims.js';

const now = 1_800_000_000;
const context: ServerClaimsContext = {
  identity: 'n1.example.net',
  publicKey: 'ab'.repeat(32),
  now,
  serverJwtValidityMs: 3_600_000,
};

function result(reply: Partial<HelperReply>): ServerClaimsResult {
  return serverClaimsOf(helperReply(reply), context);
}

function claims(reply: Partial<HelperReply>) {
  const made = result(reply);
  if (made.kind !== 'CLAIMS') throw new Error(made.message);
  return made.claims;
}

function configured(entries: Record<string, string>): Partial<HelperReply> {
  return { configuration: new Map(Object.entries(entries)) };
}

test('a helper that says nothing leaves all to the defaults', () => {
  expect(result({})).toEqual({
    kind: 'CLAIMS',
    expiryRule: 'DEFAULT',
    claims: {
      identity: 'n1.example.net',
      publicKey: context.publicKey,
      ou: 'choria',
      collectives: ['mcollective'],
      expiresAt: now + 3_600,
    },
  });
});

describe('collectives', () => {
  const choria = { 'plugin.security.provider': 'choria' };

  test.each<[string, Partial<HelperReply>, string[]]>([
    ['mcollective by default', {}, ['mcollective']],
    ['choria where that is the security provider', configured(choria), ['choria']],
    [
      'mcollective under another provider',
      configured({ 'plugin.security.provider': 'tls' }),
      ['mcollective'],
    ],
    ['the configuration’s, not trimmed', configured({ ...choria, collectives: 'a, b,' }), ['a', ' b', '']],
    [
      'the default where the configuration’s are empty',
      configured({ ...choria, collectives: '' }),
      ['choria'],
    ],
    [
      'the helper’s before all',
      { ...configured({ collectives: 'a' }), serverClaims: { collectives: ['x', 'y'] } },
      ['x', 'y'],
    ],
    [
      'the configuration’s where the helper’s are empty',
      { ...configured({ collectives: 'a' }), serverClaims: { collectives: [] } },
      ['a'],
    ],
  ])('are %s', (_what, reply, collectives) => {
    expect(claims(reply).collectives).toEqual(collectives);
  });
});

test('what the helper wants is in the claims, and what is empty is not', () => {
  const permissions = { governor: true, streams: false };
  expect(claims({ serverClaims: { ou: 'acme', pubSubjects: ['x.>'], permissions } })).toMatchObject({
    ou: 'acme',
    pubSubjects: ['x.>'],
    permissions,
  });
  const empty = claims({ serverClaims: { ou: '', pubSubjects: [] } });
  expect(empty.ou).toBe('choria');
  expect(empty).not.toHaveProperty('pubSubjects');
  expect(empty).not.toHaveProperty('permissions');
});

describe('the expiry', () => {
  test.each([
    ['seconds from now', 157_680_000, now + 157_680_000, 'SECONDS_FROM_NOW'],
    ['the least that is let pass', 60, now + 60, 'SECONDS_FROM_NOW'],
    ['the greatest that counts from now', 999_999_999, now + 999_999_999, 'SECONDS_FROM_NOW'],
    ['a moment', now + 60, now + 60, 'REPLY'],
    ['a moment far away', 4_102_444_800, 4_102_444_800, 'REPLY'],
    ['a fraction, never widened', now + 90.9, now + 90, 'REPLY'],
    ['milliseconds by mistake, which is honoured', 1_900_000_000_000, 1_900_000_000_000, 'REPLY'],
    ['more than a token can say', 1e300, Number.MAX_SAFE_INTEGER, 'REPLY'],
  ])('is %s', (_what, exp, expiresAt, expiryRule) => {
    expect(result({ serverClaims: { exp } })).toMatchObject({ expiryRule, claims: { expiresAt } });
  });

  test.each([
    ['zero', 0],
    ['negative', -5],
    ['negative and large', -1e12],
    ['less than a minute from now', 59],
    ['a moment less than a minute away', now + 59],
    ['a fraction less than a minute away', now + 59.9],
    ['now', now],
    ['past', now - 3_600],
    ['the first moment that is one, and long past', 1_000_000_000],
  ])('that is %s is refused', (_what, exp) => {
    expect(result({ serverClaims: { exp } })).toEqual({
      kind: 'EXPIRED',
      message: expect.stringContaining(`server_claims.exp is ${exp}`),
    });
  });

  test('is never before a minute from now, nor after what was asked for', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (exp) => {
        const made = result({ serverClaims: { exp } });
        if (made.kind === 'EXPIRED') return;
        const { expiresAt } = made.claims;
        expect(Number.isSafeInteger(expiresAt)).toBe(true);
        expect(expiresAt).toBeGreaterThanOrEqual(now + 60);
        expect(expiresAt).toBeLessThanOrEqual(exp < 1e9 ? now + exp : exp);
      }),
    );
  });
});
