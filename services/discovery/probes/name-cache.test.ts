import { expect, test } from 'vitest';
import { FakeClock, settle } from '../../../test/fakes/fake-clock.js';
import { cachedLookup } from './name-cache.js';

test('a name is asked for once in a while, by however many', async () => {
  const clock = new FakeClock();
  let asked = 0;
  const lookup = cachedLookup(async () => {
    asked++;
    return [`10.0.0.${asked}`];
  }, clock);
  const found = await Promise.all([lookup('a'), lookup('a'), lookup('a')]);
  expect(found.flat()).toEqual(['10.0.0.1', '10.0.0.1', '10.0.0.1']);
  await clock.advance(15_000);
  expect(await lookup('a')).toEqual(['10.0.0.2']);
});

test('a resolver that does not answer holds nobody up for long', async () => {
  const clock = new FakeClock();
  const lookup = cachedLookup(() => new Promise(() => {}), clock);
  const found = lookup('a').catch((error: Error) => error.message);
  await settle();
  await clock.advance(2000);
  expect(await found).toBe('no answer within 2000 ms');
  expect(clock.pendingTimers).toBe(0);
});

test('what failed is remembered too, and nobody has to catch it', async () => {
  const clock = new FakeClock();
  let asked = 0;
  const lookup = cachedLookup(() => {
    asked++;
    return Promise.reject(new Error('no such name'));
  }, clock);
  await expect(lookup('a')).rejects.toThrow('no such name');
  await expect(lookup('a')).rejects.toThrow('no such name');
  expect(asked).toBe(1);
});

test('a resolver that is behind is not asked for more, and those that it knows are given', async () => {
  const answers: (() => void)[] = [];
  const lookup = cachedLookup(
    (host) => new Promise((resolve) => answers.push(() => resolve([host]))),
    new FakeClock(),
  );
  const asked = Array.from({ length: 1000 }, (_, index) => lookup(`n${index}`));
  await expect(lookup('late')).rejects.toThrow('the resolver is behind');
  expect(answers).toHaveLength(1000);
  answers[0]?.();
  expect(await asked[0]).toEqual(['n0']);
  expect(await lookup('n0')).toEqual(['n0']);
  const late = lookup('late');
  answers[1000]?.();
  expect(await late).toEqual(['late']);
});
