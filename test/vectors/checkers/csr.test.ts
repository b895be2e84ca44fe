import { expect, test } from 'vitest';
import { makeCsr } from '../../fakes/csr-maker.js';
import { MalformedFileError } from '../checker.js';
import { csr } from './csr.js';

const denied = makeCsr({ dns: ['bob.choria'] });

async function verdictOn(sample: { csr?: string; expected: string; reason?: string }) {
  const whole = { name: 'a sample', identity: 'n1.example.net', csr: denied, reason: '', ...sample };
  const [result] = await csr({ deny_list: ['\\.choria$'], samples: [whole] });
  return result?.verdict;
}

test('a rejection holds only for its own reason', async () => {
  expect(await verdictOn({ expected: 'reject', reason: 'denied: bob.choria' })).toEqual({ kind: 'PASSED' });
  for (const reason of ['denied: alice.choria', 'signature invalid', 'bad name', 'trailing data']) {
    expect(await verdictOn({ expected: 'reject', reason })).toMatchObject({
      kind: 'FAILED',
      message: expect.stringMatching(
        `expected it to be rejected for ${reason}, and it was rejected as DENIED`,
      ),
    });
  }
});

test('a hint that is not known is not compared, which is said', async () => {
  expect(await verdictOn({ expected: 'reject', reason: 'the moon' })).toMatchObject({
    note: expect.anything(),
  });
});

test('what should be accepted, or rejected, must be', async () => {
  expect(await verdictOn({ expected: 'accept' })).toMatchObject({ kind: 'FAILED' });
  const fine = makeCsr();
  expect(await verdictOn({ csr: fine, expected: 'accept' })).toEqual({ kind: 'PASSED' });
  expect(await verdictOn({ csr: fine, expected: 'reject', reason: 'bad name' })).toMatchObject({
    kind: 'FAILED',
  });
});

test('a file without a deny list is malformed', async () => {
  await expect(csr({ samples: [] })).rejects.toThrow(MalformedFileError);
});
