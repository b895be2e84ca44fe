import { expect, test } from 'vitest';
import { Duration } from '../gen/google/protobuf/duration.js';
import { fromDuration, toDuration, toTimestamp } from './time.js';

test.each([
  [0, 0n, 0],
  [1, 0n, 1_000_000],
  [1500, 1n, 500_000_000],
  [-1500, -1n, -500_000_000],
  [0.25, 0n, 250_000],
  [999.9999999, 1n, 0],
  [-999.9999999, -1n, 0],
  [Number.NaN, 0n, 0],
  [Number.POSITIVE_INFINITY, 315_576_000_000n, 0],
  [Number.NEGATIVE_INFINITY, -315_576_000_000n, 0],
])('%d ms is %d s and %d ns', (ms, seconds, nanos) => {
  expect(toDuration(ms)).toEqual({ seconds, nanos });
});

test('a Duration survives the wire', () => {
  expect(fromDuration(Duration.decode(Duration.encode(toDuration(61_234.5)).finish()))).toBe(61_234.5);
});

test('a Duration that is not set is no time', () => {
  expect(fromDuration(undefined)).toBe(0);
});

test('a Duration out of all bounds is a number', () => {
  expect(fromDuration({ seconds: 2n ** 63n - 1n, nanos: -(2 ** 31) })).toBeGreaterThan(1e20);
});

test('every number of milliseconds is a moment', () => {
  expect(toTimestamp(1_900_000_000_123).getTime()).toBe(1_900_000_000_123);
  for (const ms of [Number.NaN, 1e300, -1e300]) expect(toTimestamp(ms).getTime()).not.toBeNaN();
});
