import { beforeEach, expect, test } from 'vitest';
import { ed25519KeyFromSeed, rawPublicKey } from './raw-keys.js';
import { parseSigningKey, signToken } from './signing-key.js';
import { TokenVerifier } from './token-verifier.js';
import { parseVerificationKey, type VerificationKey } from './verification-key.js';

const now = 1_796_000_000;

function seed(number: number): string {
  return Buffer.alloc(32, number).toString('hex');
}

function keyOf(number: number): VerificationKey {
  return parseVerificationKey(rawPublicKey(ed25519KeyFromSeed(Buffer.alloc(32, number))).toString('hex'));
}

function token(claims: object = {}, signer = 1): Promise<string> {
  return signToken({ purpose: 'choria_provisioning', ...claims }, parseSigningKey(seed(signer)));
}

let key: VerificationKey;
let verifier: TokenVerifier;

beforeEach(() => {
  key = keyOf(1);
  verifier = new TokenVerifier(async () => key, 2);
});

test('a token that comes again gets the same answer', async () => {
  const good = await token({ cht: 's' });
  const first = await verifier.verify(good, now);
  expect(first.secret?.reveal()).toBe('s');
  expect(await verifier.verify(good, now)).toBe(first);
});

test('a token that was good expires all the same', async () => {
  const good = await token({ exp: now + 1, nbf: now });
  await verifier.verify(good, now);
  await expect(verifier.verify(good, now + 1)).rejects.toMatchObject({ fault: 'EXPIRED' });
  await expect(verifier.verify(good, now - 1)).rejects.toMatchObject({ fault: 'NOT_YET_VALID' });
});

test('with another key, what was good under the last one is not', async () => {
  const good = await token();
  await verifier.verify(good, now);
  key = keyOf(2);
  await expect(verifier.verify(good, now)).rejects.toMatchObject({ fault: 'SIGNATURE' });
  await verifier.verify(await token({}, 2), now);
  key = keyOf(1);
  await verifier.verify(good, now);
});

test('a key that changes while a token is verified does not make it good for later', async () => {
  const good = await token();
  const verifying = verifier.verify(good, now);
  key = keyOf(2);
  await verifying;
  await expect(verifier.verify(good, now)).rejects.toMatchObject({ fault: 'SIGNATURE' });
});

test('a bad token is bad every time', async () => {
  const bad = await token({}, 2);
  await expect(verifier.verify(bad, now)).rejects.toMatchObject({ fault: 'SIGNATURE' });
  await expect(verifier.verify(bad, now)).rejects.toMatchObject({ fault: 'SIGNATURE' });
});

test('only so many are remembered, the newest ones', async () => {
  const tokens = await Promise.all([1, 2, 3].map((jti) => token({ jti: `${jti}` })));
  const [first = '', , third = ''] = tokens;
  const answers = [];
  for (const each of tokens) answers.push(await verifier.verify(each, now));
  expect(await verifier.verify(third, now)).toBe(answers[2]);
  expect(await verifier.verify(first, now)).not.toBe(answers[0]);
});

test('a seed in the place of the public key is told, as soon as a token of it has come', async () => {
  key = parseVerificationKey(seed(1));
  const strange = expect.stringMatching(/verified with$/);
  await expect(verifier.verify(await token({}, 2), now)).rejects.toMatchObject({ message: strange });
  const told = { fault: 'SIGNATURE', message: expect.stringMatching(/jwt_verify_cert.*is the seed/) };
  await expect(verifier.verify(await token(), now)).rejects.toMatchObject(told);
  await expect(verifier.verify(await token({}, 2), now)).rejects.toMatchObject(told);
  key = keyOf(3);
  await expect(verifier.verify(await token(), now)).rejects.toMatchObject({ message: strange });
  key = keyOf(1);
  await verifier.verify(await token(), now);
});

test('whether the key is a seed is looked at for so many tokens, and no more', async () => {
  key = parseVerificationKey(seed(1));
  const strange = expect.stringMatching(/verified with$/);
  const foreign = await token({}, 2);
  for (let times = 0; times < 20; times++) {
    await expect(verifier.verify(foreign, now)).rejects.toMatchObject({ message: strange });
  }
  await expect(verifier.verify(await token(), now)).rejects.toMatchObject({ message: strange });
});
