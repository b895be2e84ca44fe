import { generateKeyPairSync, sign } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ChallengeInput, signChallenge, verifyChallenge } from './challenge.js';
import { rawPublicKey } from './raw-keys.js';

const { privateKey } = generateKeyPairSync('ed25519');
const publicKey = rawPublicKey(privateKey);
const input: ChallengeInput = {
  identity: 'node1.example.net',
  runId: '01890a5d-ac96-774b-bcce-b302099a8057',
  nonce: Buffer.alloc(32, 0xab),
};

test('what is signed is four lines', () => {
  const text = `slipway/v1/ed25519-challenge\nnode1.example.net\n${input.runId}\n${'ab'.repeat(32)}`;
  expect(signChallenge(input, privateKey)).toEqual(sign(null, Buffer.from(text), privateKey));
});

test('an answer fits the challenge that it was made for', () => {
  expect(verifyChallenge(input, publicKey, signChallenge(input, privateKey))).toBe(true);
});

test.each<[string, Partial<ChallengeInput>]>([
  ['identity', { identity: 'node2.example.net' }],
  ['run', { runId: '01890a5d-ac96-774b-bcce-b302099a8058' }],
  ['nonce', { nonce: Buffer.alloc(32, 0xac) }],
])('an answer for another %s does not fit', (_what, other) => {
  expect(verifyChallenge({ ...input, ...other }, publicKey, signChallenge(input, privateKey))).toBe(false);
});

test("another key's answer does not fit", () => {
  const other = generateKeyPairSync('ed25519').privateKey;
  expect(verifyChallenge(input, publicKey, signChallenge(input, other))).toBe(false);
});

test.each([0, 31, 33, 64])('a key of %d bytes is none', (length) => {
  expect(verifyChallenge(input, Buffer.alloc(length, 1), signChallenge(input, privateKey))).toBe(false);
});

test.each([0, 63, 65, 128])('a signature of %d bytes is none', (length) => {
  expect(verifyChallenge(input, publicKey, Buffer.alloc(length, 1))).toBe(false);
});

// Each of them has signatures that fit many messages or all of them: R the neutral point, S zero.
test.each([
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0000000000000000000000000000000000000000000000000000000000000080',
  '0100000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000080',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
])('a key of low order is none: %s', (hex) => {
  const forged = Buffer.alloc(64);
  forged[0] = 1;
  for (let run = 0; run < 50; run += 1) {
    expect(verifyChallenge({ ...input, runId: `${run}` }, Buffer.from(hex, 'hex'), forged)).toBe(false);
  }
});

test('any bytes are answered with false, and never thrown at', () => {
  const bytes = fc.uint8Array({ minLength: 30, maxLength: 34 });
  const signatures = fc.uint8Array({ minLength: 62, maxLength: 66 });
  fc.assert(fc.property(bytes, signatures, (key, signature) => !verifyChallenge(input, key, signature)));
});
