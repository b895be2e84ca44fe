import { expect, test } from 'vitest';
import { helperReplies } from './helper-replies.js';

const context = {
  now: 1_800_000_000,
  identity: 'n1.example.net',
  features: { jwt: true, ed25519: true, upgrades: true },
  server_jwt_validity_seconds: 3_600,
  issuer_exp: null,
  ecdh_public_known: true,
  upgrades_repository: 'http://repo.example/',
  upgrades_optional: false,
  node: { version: '0.29.4', upgradable: true },
};

async function verdictOn(expected: object, change: object = {}, reply: object = {}) {
  const stdout = JSON.stringify({ configuration: { a: 'b' }, ...reply });
  const vector = { name: 'a case', stdout, exit_code: 0, expected };
  const [result] = await helperReplies({ context: { ...context, ...change }, vectors: [vector] });
  return result?.verdict;
}

const serverJwt = { ou: 'choria', collectives: ['mcollective'], exp: 1_800_003_600, exp_rule: 'default' };

test('the token must say what is expected of it, and no more', async () => {
  const expected = { outcome: 'configure', server_jwt: serverJwt };
  expect(await verdictOn(expected)).toEqual({ kind: 'PASSED' });
  expect(await verdictOn(expected, {}, { server_claims: { ou: 'acme' } })).toMatchObject({ kind: 'FAILED' });
  expect(await verdictOn(expected, {}, { server_claims: { permissions: { governor: true } } })).toMatchObject(
    {
      kind: 'FAILED',
    },
  );
  expect(await verdictOn(expected, { features: { ...context.features, ed25519: false } })).toMatchObject({
    kind: 'FAILED',
  });
});

test('under a signing token that expires sooner, so does the token', async () => {
  const clipped = { outcome: 'configure', server_jwt: { ...serverJwt, exp: 1_800_000_600 } };
  expect(await verdictOn(clipped, { issuer_exp: 1_800_000_600 })).toEqual({ kind: 'PASSED' });
});

test('what follows must be what is expected, and for the same reason', async () => {
  const upgrade = { upgrade: '0.30.0' };
  expect(await verdictOn({ outcome: 'upgrade', target: '0.30.0' }, {}, upgrade)).toEqual({ kind: 'PASSED' });
  expect(await verdictOn({ outcome: 'upgrade', target: '0.31.0' }, {}, upgrade)).toMatchObject({
    kind: 'FAILED',
  });
  const refused = { outcome: 'failed', reason: 'KEY_INVALID' };
  expect(await verdictOn(refused, { ecdh_public_known: false }, { key: 'abc' })).toEqual({ kind: 'PASSED' });
  expect(await verdictOn(refused, {}, { server_claims: { exp: 1 } })).toMatchObject({ kind: 'FAILED' });
});
