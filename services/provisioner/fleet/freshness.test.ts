import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../../test/fakes/fake-clock.js';
import { Freshness } from './freshness.js';

const interval = 60_000;

describe('staleness', () => {
  it('is twice the interval without a sighting', async () => {
    const clock = new FakeClock();
    const freshness = new Freshness(clock, interval);
    freshness.synced('d', 1_000);
    await clock.advance(2 * interval);
    expect(freshness.isStale(0)).toBe(false);
    await clock.advance(1);
    expect(freshness.isStale(0)).toBe(true);
    expect(freshness.isStale(10)).toBe(false);
  });

  it('goes by the greatest interval, the own or one that a discovery service said', () => {
    const freshness = new Freshness(new FakeClock(), interval);
    expect(freshness.intervalMs).toBe(interval);
    freshness.synced('d1', 1_000);
    expect(freshness.intervalMs).toBe(interval);
    freshness.synced('d2', 300_000);
    expect(freshness.intervalMs).toBe(300_000);
  });

  it('is not judged while no watch is connected', async () => {
    const clock = new FakeClock();
    const freshness = new Freshness(clock, interval);
    await clock.advance(10 * interval);
    expect(freshness.isStale(0)).toBe(false);
    freshness.synced('d', interval);
    await clock.advance(10 * interval);
    expect(freshness.isStale(0)).toBe(true);
    freshness.lost('d');
    expect(freshness.isStale(0)).toBe(false);
  });

  it('is not judged for one interval after a watch has caught up', async () => {
    const clock = new FakeClock();
    const freshness = new Freshness(clock, interval);
    await clock.advance(10 * interval);
    freshness.synced('d', interval);
    await clock.advance(interval - 1);
    expect(freshness.isStale(0)).toBe(false);
    await clock.advance(1);
    expect(freshness.isStale(0)).toBe(true);
  });

  it('does not care for the wall clock', () => {
    const clock = new FakeClock();
    const freshness = new Freshness(clock, 10);
    freshness.synced('d', 10);
    clock.jumpWall(1e9);
    expect(freshness.isStale(0)).toBe(false);
  });
});
