import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FakeClock } from '../../../test/fakes/fake-clock.js';
import { type Expiring, Expiry, unscheduled } from './expiry.js';

interface Item extends Expiring {
  readonly name: number;
}

const item = (name: number): Item => ({ name, expiresAt: 0, bucket: unscheduled });

test('each item expires once, after its time and within a second of it, however it was renewed', async () => {
  const step = fc.record({
    name: fc.integer({ min: 0, max: 4 }),
    do: fc.constantFrom('schedule', 'extend', 'cancel'),
    ms: fc.integer({ min: 1, max: 20_000 }),
    pass: fc.integer({ min: 0, max: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const clock = new FakeClock();
      const expiry = new Expiry<Item>(clock);
      const items = Array.from({ length: 5 }, (_, name) => item(name));
      const due = new Map<number, number>();
      const check = async () => {
        await clock.advance(1000);
        expiry.tick(({ name }) => {
          const at = due.get(name);
          expect(at).toBeDefined();
          expect(clock.monotonic()).toBeGreaterThanOrEqual(at ?? Number.POSITIVE_INFINITY);
          due.delete(name);
        });
        for (const at of due.values()) expect(clock.monotonic() - at).toBeLessThan(1000);
      };
      for (const { name, do: action, ms, pass } of steps) {
        const target = items[name];
        if (target === undefined) continue;
        const at = clock.monotonic() + ms;
        if (action === 'cancel') {
          expiry.cancel(target);
          due.delete(name);
        } else if (action === 'schedule' || !due.has(name)) {
          expiry.schedule(target, ms);
          due.set(name, at);
        } else {
          expiry.extend(target, ms);
          due.set(name, Math.max(due.get(name) ?? 0, at));
        }
        for (let second = 0; second < pass; second++) await check();
      }
      for (let second = 0; second < 22; second++) await check();
      expect(due.size).toBe(0);
    }),
    { numRuns: 60 },
  );
});

test('time in which nobody ticked does not count', async () => {
  const clock = new FakeClock();
  const expiry = new Expiry<Item>(clock);
  const waiting = item(1);
  expiry.schedule(waiting, 30_000);
  await clock.advance(3_600_000);
  const expired: number[] = [];
  expiry.tick(({ name }) => expired.push(name));
  expect(expired).toEqual([]);
  expect(expiry.remaining(waiting)).toBe(25_000);
});

test('time that stands still does not count', async () => {
  const clock = new FakeClock();
  const expiry = new Expiry<Item>(clock);
  const expired: number[] = [];
  const pass = async (seconds: number, standsStill: boolean) => {
    for (let second = 0; second < seconds; second++) {
      await clock.advance(1000);
      expiry.tick(({ name }) => expired.push(name), standsStill);
    }
  };
  expiry.schedule(item(1), 10_000);
  await pass(5, false);
  await pass(60, true);
  expiry.schedule(item(2), 2_000);
  await pass(4, false);
  expect(expired).toEqual([2]);
  await pass(2, false);
  expect(expired).toEqual([2, 1]);
});
