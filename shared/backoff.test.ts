import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backoffMs } from './backoff.js';

const middle = () => 0.5;

describe('backoffMs', () => {
  it('doubles with each failure', () => {
    const waits = [1, 2, 3, 4].map((attempt) =>
      backoffMs(attempt, { initialMs: 500, maxMs: 60_000 }, middle),
    );
    expect(waits).toEqual([500, 1000, 2000, 4000]);
  });

  it('spreads a wait from half to one and a half of it', () => {
    const options = { initialMs: 500, maxMs: 60_000 };
    expect(backoffMs(1, options, () => 0)).toBe(250);
    expect(backoffMs(1, options, () => 0.999999)).toBeCloseTo(750, 2);
  });

  it('takes the factor and the jitter it is given', () => {
    const options = { initialMs: 100, maxMs: 60_000, factor: 3, jitter: [1, 1] as const };
    expect(backoffMs(3, options, Math.random)).toBe(900);
  });

  it('never waits longer than the limit, and is spread below it however many failures there were', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5000 }),
        fc.double({ min: 0, max: 0.9999, noNaN: true }),
        (n, r) => {
          const wait = backoffMs(n, { initialMs: 500, maxMs: 5000 }, () => r);
          expect(wait).toBeGreaterThanOrEqual(250);
          expect(wait).toBeLessThanOrEqual(5000);
        },
      ),
    );
    const atTheLimit = [0, 0.5, 0.9].map((r) => backoffMs(100, { initialMs: 500, maxMs: 5000 }, () => r));
    expect(new Set(atTheLimit).size).toBe(3);
  });

  it('does not wait where the wait is nothing', () => {
    expect(backoffMs(5000, { initialMs: 0, maxMs: 5000 }, middle)).toBe(0);
  });
});
