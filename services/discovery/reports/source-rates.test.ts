import { expect, test } from 'vitest';
import { FakeClock } from '../../../test/fakes/fake-clock.js';
import { originOf, SourceRates } from './source-rates.js';

test('a source over its rate is told to wait, others are not', async () => {
  const clock = new FakeClock();
  const rates = new SourceRates(clock, 2);
  expect([1, 2, 3, 4, 5].map(() => rates.admit('10.0.0.1'))).toEqual([
    undefined,
    undefined,
    2000,
    2000,
    3000,
  ]);
  expect(rates.admit('10.0.0.2')).toBeUndefined();
  await clock.advance(1000);
  expect(rates.admit('10.0.0.1')).toBeUndefined();
});

test('without a limit nothing is counted', () => {
  const rates = new SourceRates(new FakeClock(), 0);
  for (let index = 0; index < 1000; index++) expect(rates.admit('10.0.0.1')).toBeUndefined();
});

test('however many come, a source is told to wait for a minute at most', () => {
  const rates = new SourceRates(new FakeClock(), 1);
  for (let index = 0; index < 1000; index++) rates.admit('10.0.0.1');
  expect(rates.admit('10.0.0.1')).toBe(60_000);
});

test('an IPv6 network of 64 bits is one source', () => {
  expect(originOf('2001:db8:1:2::1')).toBe(originOf('2001:db8:1:2:ffff::9'));
  expect(originOf('2001:db8:1:2::1')).not.toBe(originOf('2001:db8:1:3::1'));
  expect(originOf('2001:db8:1:2::1')).toBe('2001:db8:1:2::/64');
  expect(originOf('fe80::1')).toBe('fe80:0:0:0::/64');
  expect(originOf('10.0.0.1')).toBe('10.0.0.1');
});
