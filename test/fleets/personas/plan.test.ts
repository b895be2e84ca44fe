import { describe, expect, test } from 'vitest';
import { parseFaults } from '../../../services/mock-node/faults/parse.js';
import { planOf } from './plan.js';
import { seeded } from './seeded.js';
import { sizesOf } from './sizes.js';
import { weatherOf } from './weather.js';

const minuteMs = 60_000;

test('the same seed has the same in store, and another one something else', () => {
  const planFrom = (seed: number) => planOf(seeded(seed), 8 * minuteMs);
  const weathersFrom = (seed: number) => {
    const random = seeded(seed);
    return Array.from({ length: 50 }, () => weatherOf(random));
  };
  expect(planFrom(7)).toEqual(planFrom(7));
  expect(weathersFrom(7)).toEqual(weathersFrom(7));
  expect(planFrom(8)).not.toEqual(planFrom(7));
  expect(weathersFrom(8)).not.toEqual(weathersFrom(7));
});

test('each service is killed several times, in order and in time', () => {
  const plan = planOf(seeded(7), 8 * minuteMs);
  for (const service of ['discovery', 'provisioner', 'mock-node']) {
    const kills = plan.filter((each) => each.kind === 'KILL' && each.service === service);
    expect(kills.length).toBeGreaterThan(1);
  }
  const times = plan.map(({ atMs }) => atMs);
  expect(times).toEqual([...times].sort((one, other) => one - other));
  expect(Math.max(...times)).toBeLessThan(8 * minuteMs);
});

test('the mock node understands whatever weather there is', () => {
  const random = seeded(7);
  const lines = Array.from({ length: 2_000 }, () => weatherOf(random)).flat();
  expect(lines.flatMap((line) => parseFaults(line).problems)).toEqual([]);
});

describe('sizes', () => {
  test('are those of the environment', () => {
    const env = { PERSONAS_NODES: '300', PERSONAS_MINUTES: '1.5', PERSONAS_SEED: '7' };
    expect(sizesOf(env)).toEqual({ nodes: 300, minutes: 1.5, seed: 7 });
    expect(sizesOf({})).toMatchObject({ nodes: 5_000, minutes: 10 });
  });

  test('that are no numbers are told by name', () => {
    expect(() => sizesOf({ PERSONAS_NODES: 'many' })).toThrow(
      'PERSONAS_NODES: expected a number above 0, got many',
    );
  });
});
