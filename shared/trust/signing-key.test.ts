import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { CompactSign } from 'jose';
import { expect, test } from 'vitest';
import { parseSigningKey, signToken } from './signing-key.js';

function pemOf(privateKey: KeyObject): string {
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

test.each([
  ['EdDSA', generateKeyPairSync('ed25519').privateKey],
  ['RS256', generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey],
] as const)('a token signed with %s is, to the byte, that of another implementation', async (alg, key) => {
  const claims = { identity: 'knoten-ä.example', none: undefined, exp: 1_900_000_000 };
  const payload = Buffer.from(JSON.stringify(claims));
  const expected = await new CompactSign(payload).setProtectedHeader({ alg, typ: 'JWT' }).sign(key);
  expect(await signToken(claims, parseSigningKey(pemOf(key)))).toBe(expected);
});

test('what Go escapes in JSON is escaped', async () => {
  const token = await signToken({ ou: '<a>&\u2028' }, parseSigningKey('01'.repeat(32)));
  const [, payload = ''] = token.split('.');
  expect(Buffer.from(payload, 'base64url').toString()).toBe(String.raw`{"ou":"\u003ca\u003e\u0026\u2028"}`);
});
