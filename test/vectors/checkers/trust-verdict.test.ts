import { expect, test } from 'vitest';
import { TrustError, type TrustFault } from '../../../shared/trust/trust-error.js';
import { accepted, refusedFor } from './trust-verdict.js';

function refusing(fault: TrustFault) {
  return () => {
    throw new TrustError(fault, 'refused');
  };
}

test("a refusal passes for one of the case's own faults, and for no other", async () => {
  expect(await refusedFor(['EXPIRED', 'CLAIM'], refusing('CLAIM'))).toEqual({ kind: 'PASSED' });
  expect(await refusedFor(['EXPIRED'], refusing('CLAIM'))).toEqual({
    kind: 'FAILED',
    message: 'expected a refusal for EXPIRED, got one for CLAIM',
  });
});

test('where nobody knows the fault, it must not be that nothing could be read', async () => {
  expect(await refusedFor([], refusing('CLAIM'))).toMatchObject({ kind: 'PASSED' });
  expect(await refusedFor([], refusing('MALFORMED'))).toMatchObject({ kind: 'FAILED' });
});

test('what is let pass must not be refused, and the other way round', async () => {
  expect(await refusedFor(['EXPIRED'], async () => 'token')).toMatchObject({ kind: 'FAILED' });
  expect(await accepted(async () => 'token')).toEqual({ kind: 'PASSED' });
  expect(await accepted(refusing('CHAIN'))).toMatchObject({ kind: 'FAILED' });
});

test('what breaks is no refusal', async () => {
  const breaking = () => {
    throw new TypeError('broken');
  };
  await expect(refusedFor(['MALFORMED'], breaking)).rejects.toThrow('broken');
  await expect(accepted(breaking)).rejects.toThrow('broken');
});
