import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fewestReadings, judge, type Tolerance } from './flatness.js';

const durationMs = 40_000;

/** Ten readings a quarter, by what is read in each. */
function course(read: (quarter: number, index: number) => number) {
  return Array.from({ length: 40 }, (_, index) => ({
    atMs: index * 1_000,
    value: read(Math.floor(index / 10), index % 10),
  }));
}

const tenth: Tolerance = { worse: 'RISES', share: 0.1, plus: 5 };

describe('a figure that is not to rise', () => {
  test('is flat up to its tolerance, and rises beyond it', () => {
    const upTo = (last: number) =>
      judge(
        course((quarter) => (quarter === 3 ? last : 100)),
        durationMs,
        tenth,
      );
    expect(upTo(115)).toEqual({ second: 100, last: 115, bound: 115, verdict: 'FLAT' });
    expect(upTo(115.1)).toMatchObject({ last: 115.1, bound: 115, verdict: 'RISES' });
    expect(upTo(10)).toMatchObject({ verdict: 'FLAT' });
  });

  test('may rise in the first quarter, where what fills up fills up', () => {
    const filling = course((quarter, index) => (quarter === 0 ? index * 100 : 1_000));
    expect(judge(filling, durationMs, tenth)).toMatchObject({ verdict: 'FLAT' });
  });

  test('rises where it leaks slowly and steadily', () => {
    const leaking = course((quarter, index) => 100 + quarter * 10 + index);
    expect(judge(leaking, durationMs, tenth)).toMatchObject({ second: 114.5, last: 134.5, verdict: 'RISES' });
  });

  test('is not judged by what it comes to now and then', () => {
    const peaks = course((quarter, index) => (quarter === 3 && index > 6 ? 10_000 : 100));
    expect(judge(peaks, durationMs, tenth)).toMatchObject({ last: 100, verdict: 'FLAT' });
  });

  test('that was 0 may come to what it varies by', () => {
    const from0 = (last: number) =>
      judge(
        course((quarter) => (quarter === 3 ? last : 0)),
        durationMs,
        tenth,
      );
    expect(from0(5)).toMatchObject({ verdict: 'FLAT' });
    expect(from0(6)).toMatchObject({ verdict: 'RISES' });
  });
});

test('a figure that is not to fall falls below its tolerance, and may rise', () => {
  const to = (last: number) =>
    judge(
      course((quarter) => (quarter === 3 ? last : 100)),
      durationMs,
      {
        worse: 'FALLS',
        share: 0.1,
        plus: 5,
      },
    );
  expect(to(85)).toEqual({ second: 100, last: 85, bound: 85, verdict: 'FLAT' });
  expect(to(84)).toMatchObject({ verdict: 'FALLS' });
  expect(to(1_000)).toMatchObject({ verdict: 'FLAT' });
});

test('with few readings in the second or the last quarter nothing is known', () => {
  const without = (quarter: number, left: number) =>
    course(() => 1).filter(({ atMs }, index) => Math.floor(atMs / 10_000) !== quarter || index % 10 < left);
  for (const quarter of [1, 3]) {
    const judged = (left: number) => judge(without(quarter, left), durationMs, tenth).verdict;
    expect(judged(fewestReadings - 1)).toBe('UNKNOWN');
    expect(judged(fewestReadings)).toBe('FLAT');
  }
  expect(judge([], durationMs, tenth).verdict).toBe('UNKNOWN');
});

test('a reading that came late belongs to the last quarter', () => {
  const late = course(() => 1).map(({ atMs, value }) => ({ atMs: atMs >= 30_000 ? 40_500 : atMs, value }));
  expect(judge(late, durationMs, tenth).verdict).toBe('FLAT');
});

test('what stays within its tolerance of one value is flat, whatever the value', () => {
  const values = fc.array(fc.double({ min: 0, max: 0.9, noNaN: true }), { minLength: 40, maxLength: 40 });
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1e6, noNaN: true }), values, (base, noise) => {
      const readings = course((quarter, index) => base + (noise[quarter * 10 + index] ?? 0));
      expect(judge(readings, durationMs, { worse: 'RISES', share: 0, plus: 1 }).verdict).toBe('FLAT');
    }),
  );
});
