import { expect, test } from 'vitest';
import { FakeClock } from '../../../test/fakes/fake-clock.js';
import { Load } from './load.js';
import { Pace } from './pace.js';

const options = { reportIntervalMs: 10_000, maxReportsPerSecond: 500 };

/** Of a process that has nothing else to do. */
const easy = { perSecond: Number.POSITIVE_INFINITY, crowding: 1 };

test('few nodes report in the report interval, with a lease of three of it', () => {
  const pace = new Pace(new FakeClock(), options, easy);
  expect(pace.reply(100)).toEqual({ nextReportMs: 10_000, leaseMs: 30_000 });
  expect(pace.reply(5000)).toEqual({ nextReportMs: 10_000, leaseMs: 30_000 });
});

test('many nodes report so seldom that all of them fit into the rate', () => {
  const pace = new Pace(new FakeClock(), options, easy);
  expect(pace.reply(200_000)).toEqual({ nextReportMs: 400_000, leaseMs: 1_200_000 });
});

test('nodes are asked for no more than this process can take', () => {
  const pace = new Pace(new FakeClock(), options, { perSecond: 200, crowding: 1 });
  expect(pace.reply(1000).nextReportMs).toBe(10_000);
  expect(pace.reply(50_000)).toEqual({ nextReportMs: 250_000, leaseMs: 750_000 });
});

test('a small fleet reports in the report interval, however busy the machine is', () => {
  const load = new Load(() => 1000);
  const pace = new Pace(new FakeClock(), options, load);
  for (let second = 0; second < 60; second++) {
    for (let report = 0; report < 30; report++) load.answered();
    load.tick();
    expect(pace.reply(300).nextReportMs).toBe(10_000);
  }
});

test('those that are known make room for those that do not get in, for up to five minutes', () => {
  const pace = new Pace(new FakeClock(), options, { perSecond: 200, crowding: 5 });
  expect(pace.reply(10)).toEqual({ nextReportMs: 50_000, leaseMs: 150_000 });
  expect(pace.reply(20_000).nextReportMs).toBe(300_000);
  expect(pace.reply(100_000).nextReportMs).toBe(500_000);
});

test('a lease lasts 30 s at least', () => {
  const pace = new Pace(new FakeClock(), { ...options, reportIntervalMs: 1000 }, easy);
  expect(pace.reply(1)).toEqual({ nextReportMs: 1000, leaseMs: 30_000 });
});

test('over the rate reports are sent away, each for a little longer than the one before', () => {
  const pace = new Pace(new FakeClock(), { ...options, maxReportsPerSecond: 10 }, easy);
  const waits = Array.from({ length: 40 }, () => pace.admit(false));
  expect(waits.slice(0, 10).every((wait) => wait === undefined)).toBe(true);
  expect(waits.slice(10, 15)).toEqual([500, 500, 500, 500, 500]);
  expect(waits.at(-1)).toBe(3000);
});

test('urgent reports are taken over the rate, and the others make room for them', async () => {
  const clock = new FakeClock();
  const pace = new Pace(clock, { ...options, maxReportsPerSecond: 10 }, easy);
  for (let index = 0; index < 15; index++) expect(pace.admit(true)).toBeUndefined();
  await clock.advance(400);
  expect(pace.admit(false)).toBeDefined();
  await clock.advance(300);
  expect(pace.admit(false)).toBeUndefined();
});

test('a fleet that comes all at once is taken at the full rate, and nobody waits for long after', async () => {
  const clock = new FakeClock();
  const pace = new Pace(clock, options, easy);
  let seed = 1;
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  const arrivals = Array.from({ length: 10_000 }, () => ({ at: random() * 1000 }));
  const takenAt: number[] = [];
  let tries = 0;
  for (let now = 0; takenAt.length < 10_000 && now < 300_000; now += 100) {
    for (const node of arrivals) {
      if (node.at > now) continue;
      tries++;
      const wait = pace.admit(false);
      node.at = wait === undefined ? Number.POSITIVE_INFINITY : now + wait * (1 + random());
      if (wait === undefined) takenAt.push(now);
    }
    await clock.advance(100);
  }
  expect(takenAt).toHaveLength(10_000);
  expect(takenAt.at(-1)).toBeLessThan(60_000);
  expect(tries).toBeLessThan(50_000);
});

test('however many are sent away, none is told to wait for more than two minutes', () => {
  const pace = new Pace(new FakeClock(), { ...options, maxReportsPerSecond: 1 }, easy);
  for (let index = 0; index < 10_000; index++) pace.admit(false);
  expect(pace.admit(false)).toBe(120_000);
});
