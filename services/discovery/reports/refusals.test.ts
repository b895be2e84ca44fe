import { expect, test } from 'vitest';
import { FakeClock } from '../../../test/fakes/fake-clock.js';
import { type RefusalSummary, Refusals } from './refusals.js';

function setUp() {
  const clock = new FakeClock();
  const told: RefusalSummary[][] = [];
  const refusals = new Refusals(clock, (summaries) => told.push([...summaries]));
  return { clock, told, refusals };
}

test('says soon what is refused and why, and how often and from whom', () => {
  const { told, refusals } = setUp();
  refusals.count('TOKEN_INVALID', '10.0.0.1', 'it expired');
  refusals.count('TOKEN_INVALID', '10.0.0.2', 'it is not signed');
  refusals.count('ADDRESS_REFUSED', '10.0.0.1', 'it is loopback');
  refusals.tick();
  expect(told).toEqual([
    [
      { reason: 'TOKEN_INVALID', reports: 2, from: ['10.0.0.1', '10.0.0.2'], message: 'it is not signed' },
      { reason: 'ADDRESS_REFUSED', reports: 1, from: ['10.0.0.1'], message: 'it is loopback' },
    ],
  ]);
});

test('says so once a minute at most, and then for all that was refused in it', async () => {
  const { clock, told, refusals } = setUp();
  for (let second = 0; second < 130; second++) {
    refusals.count('SIGNATURE_INVALID', `10.0.0.${second}`, 'it is not signed');
    refusals.tick();
    await clock.advance(1000);
  }
  expect(told.map(([summary]) => summary?.reports)).toEqual([1, 60, 60]);
  expect(told[1]?.[0]?.from).toHaveLength(5);
});

test('says nothing where nothing is wrong', () => {
  const { told, refusals } = setUp();
  refusals.count('RATE_LIMITED', '10.0.0.1', 'too many');
  refusals.count('SEQUENCE_STALE', '10.0.0.1', 'late');
  refusals.tick();
  expect(told).toEqual([]);
});
