import { expect, it } from 'vitest';
import { FakeClock } from '../../../test/fakes/fake-clock.js';
import { Rates } from './rates.js';

it('a rate is the mean over the last minute, and forgets what is older', async () => {
  const clock = new FakeClock();
  const rates = new Rates(clock);
  for (let second = 0; second < 120; second++) {
    for (let times = 0; times < 3; times++) rates.count('runs');
    await clock.advance(1_000);
  }
  // The second that has just begun counts as one of the sixty.
  expect(rates.perSecond.runs).toBeCloseTo((59 * 3) / 60);
  await clock.advance(30_000);
  expect(rates.perSecond.runs).toBeCloseTo((29 * 3) / 60);
  await clock.advance(3_600_000);
  expect(rates.perSecond).toEqual({ sightings: 0, runs: 0, provisioned: 0, failed: 0, confirmed: 0 });
});

it('a process younger than a minute shows the pace that it has', async () => {
  const clock = new FakeClock();
  await clock.advance(5_000);
  const rates = new Rates(clock);
  rates.count('confirmed');
  expect(rates.perSecond.confirmed).toBe(1);
  await clock.advance(9_000);
  rates.count('confirmed');
  await clock.advance(1_000);
  expect(rates.perSecond.confirmed).toBeCloseTo(0.2);
});
