import { expect, test } from 'vitest';
import { FakeClock } from '../../../test/fakes/fake-clock.js';
import { RefusedProofs } from './refused-proofs.js';

test('that proofs are refused is said at once, and then once a minute with their number', async () => {
  const [clock, said] = [new FakeClock(), [] as string[]];
  const refused = new RefusedProofs(clock, (message) => said.push(message));
  for (let second = 0; second < 61; second++) {
    refused.count();
    await clock.advance(1_000);
  }
  expect(said).toEqual([
    expect.stringMatching(
      /^1 call was refused with PROOF_INVALID: .*another provisioning secret.*token_file/,
    ),
    expect.stringMatching(/^60 calls were refused with PROOF_INVALID: /),
  ]);
});
