import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { type ProofInput, proof, verifyProof } from './proof.js';

const input: ProofInput = {
  secret: 's3cret',
  identity: 'node1.example.net',
  runId: '01890a5d-ac96-774b-bcce-b302099a8057',
  challenge: Buffer.alloc(32, 0xab),
  certificateSha256: 'cd'.repeat(32),
};

test('the proof is an HMAC over five lines', () => {
  const text =
    'slipway/v1/caller\nnode1.example.net\n01890a5d-ac96-774b-bcce-b302099a8057\n' +
    'abababababababababababababababababababababababababababababababab\n' +
    'cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd';
  expect(proof(input)).toBe(createHmac('sha256', 's3cret').update(text).digest('hex'));
});

test('without TLS the last line is empty', () => {
  const text = `slipway/v1/caller\nnode1.example.net\n${input.runId}\n${'ab'.repeat(32)}\n`;
  expect(proof({ ...input, certificateSha256: '' })).toBe(
    createHmac('sha256', 's3cret').update(text).digest('hex'),
  );
});

test('a proof fits what it was made for', () => {
  expect(verifyProof(proof(input), input)).toBe(true);
  expect(verifyProof(proof(input).toUpperCase(), input)).toBe(true);
});

test.each<[string, Partial<ProofInput>]>([
  ['secret', { secret: 'other' }],
  ['identity', { identity: 'node2.example.net' }],
  ['run', { runId: '01890a5d-ac96-774b-bcce-b302099a8058' }],
  ['challenge', { challenge: Buffer.alloc(32, 0xac) }],
  ['certificate', { certificateSha256: 'ce'.repeat(32) }],
  ['channel without TLS', { certificateSha256: '' }],
])('a proof for another %s does not fit', (_what, other) => {
  expect(verifyProof(proof({ ...input, ...other }), input)).toBe(false);
});

test.each(['', 'zz'.repeat(32), 'ab'.repeat(31), 'ab'.repeat(33), `${'ab'.repeat(32)}\n`])(
  '%j is no proof',
  (given) => {
    expect(verifyProof(given, input)).toBe(false);
  },
);
