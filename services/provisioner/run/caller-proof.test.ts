import { expect, test } from 'vitest';
import { newBootId, newRunId, parseIdentity } from '../../../shared/identity.js';
import { Secret } from '../../../shared/secret.js';
import { proof } from '../../../shared/trust/proof.js';
import { CallerProof } from './caller-proof.js';
import type { Caller } from './node.js';

const certificate = 'ab'.repeat(32);

const caller: Caller = {
  identity: nameOf('n1.example.net'),
  bootId: newBootId(),
  challenge: Buffer.alloc(32, 7),
  runId: newRunId(),
  fence: 1n,
  secret: new Secret('s3cret'),
};

function nameOf(text: string) {
  const identity = parseIdentity(text);
  if (identity === undefined) throw new Error(`${text} is no identity`);
  return identity;
}

function madeAnew({ secret, identity, runId, challenge }: Caller, certificateSha256: string): string {
  return proof({ secret: secret?.reveal() ?? '', identity, runId, challenge, certificateSha256 });
}

test.each<[string, Partial<Caller>, string]>([
  ['nothing', {}, certificate],
  ['the fence', { fence: 2n }, certificate],
  ['the boot', { bootId: newBootId() }, certificate],
  ['the secret', { secret: new Secret('an older one') }, certificate],
  ['the secret, of which there is none any more', { secret: undefined }, certificate],
  ['the challenge', { challenge: Buffer.alloc(32, 8) }, certificate],
  ['the run', { runId: newRunId() }, certificate],
  ['the identity', { identity: nameOf('n2.example.net') }, certificate],
  ['the certificate', {}, 'cd'.repeat(32)],
])('a proof after another one, in which %s is another, is as one that is made anew', (_, change, seen) => {
  const proofs = new CallerProof();
  const next = { ...caller, ...change };
  expect(proofs.of(caller, certificate)).toBe(madeAnew(caller, certificate));
  expect(proofs.of(next, seen)).toBe(madeAnew(next, seen));
  expect(proofs.of(caller, certificate)).toBe(madeAnew(caller, certificate));
});

test('it is made once for the calls of a run', () => {
  let revealed = 0;
  class Counted extends Secret {
    override reveal(): string {
      revealed++;
      return super.reveal();
    }
  }
  const proofs = new CallerProof();
  const counted = { ...caller, secret: new Counted('s3cret') };
  for (const fence of [1n, 2n, 3n]) proofs.of({ ...counted, fence }, certificate);
  expect(revealed).toBe(1);
});
