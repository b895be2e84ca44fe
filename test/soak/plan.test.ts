import { describe, expect, test } from 'vitest';
import { planOf, rememberedMiB } from './plan.js';

const minute = 60_000;
const hour = 60 * minute;

describe.each([
  { durationMs: 10 * minute, rate: 5 },
  { durationMs: hour, rate: 1 },
  { durationMs: 8 * hour, rate: 5 },
  { durationMs: 24 * hour, rate: 20 },
])('$durationMs ms at $rate nodes a second', ({ durationMs, rate }) => {
  const plan = planOf({ durationMs, rate });
  const quarterMs = durationMs / 4;

  test('within the first quarter the first nodes have left, and what was kept of them is forgotten', () => {
    const { leaveAfterMs, provisionedRetentionMs, holdMs } = plan;
    expect(leaveAfterMs + Math.max(provisionedRetentionMs, holdMs)).toBeLessThan(quarterMs);
  });

  test('within the first quarter the event log and the ring are full', () => {
    // Queued, started, eight steps, finished: a node that is well makes as many events at least.
    expect(plan.maxEvents).toBeLessThan((rate * 11 * quarterMs) / 1000);
    // It says that it is there, that it stops, and that it came up.
    expect(plan.eventRing).toBeLessThan((rate * 3 * quarterMs) / 1000);
  });

  test('nodes come until the end, as many a second as was asked for', () => {
    expect(plan.racks * plan.spanMs).toBeGreaterThanOrEqual(durationMs);
    expect((plan.nodesPerRack / plan.spanMs) * 1000).toBeCloseTo(rate, 1);
  });

  test('there are samples enough in each quarter', () => {
    expect(quarterMs / plan.everyMs).toBeGreaterThanOrEqual(20);
  });
});

test('what the provisioner remembers of names grows for two hours, or up to its bound', () => {
  expect(rememberedMiB({ durationMs: 8 * hour, rate: 5 })).toBe(0);
  expect(rememberedMiB({ durationMs: hour, rate: 5 })).toBeCloseTo((5 * 1_800 * 2) / 1024);
  expect(rememberedMiB({ durationMs: 4 * hour, rate: 5 })).toBeCloseTo((5 * 1_800 * 2) / 1024);
  expect(rememberedMiB({ durationMs: 4 * hour, rate: 100 })).toBe(0);
});
