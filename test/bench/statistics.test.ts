import { expect, test } from 'vitest';
import { median, rank, rounded } from './statistics.js';

test('the median is the one in the middle, or between the two', () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1, 3, 2])).toBe(2.5);
  expect(median([])).toBeNaN();
});

test('a rank is a value that was measured', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => index + 1);
  expect(rank(hundred, 0.5)).toBe(50);
  expect(rank(hundred, 0.99)).toBe(99);
  expect(rank(hundred, 1)).toBe(100);
  expect(rank([7], 0.01)).toBe(7);
  expect(rank([], 0.5)).toBeNaN();
});

test('three digits count', () => {
  expect([0.66383, 12.345, 1234.5].map(rounded)).toEqual([0.664, 12.3, 1235]);
});
