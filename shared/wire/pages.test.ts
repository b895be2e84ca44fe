import { expect, test } from 'vitest';
import { fitting, nameBefore, pageSizeOf, tokenAfter } from './pages.js';

test.each([
  [0, 100],
  [1, 1],
  [1000, 1000],
  [1001, 1000],
  [2 ** 31 - 1, 1000],
  [-1, undefined],
])('who asks for %d items gets %s', (asked, size) => {
  expect(pageSizeOf(asked)).toBe(size);
});

test('a token names where the next page begins, and does not show it', () => {
  const token = tokenAfter('n7.example.net');
  expect(token).not.toContain('n7');
  expect(nameBefore(token)).toBe('n7.example.net');
  expect(nameBefore('')).toBe('');
});

test.each(['x', 'n7.example.net', '%%%'])('%s is no token', (text) => {
  expect(nameBefore(text)).toBeUndefined();
});

test('a page ends before it is too large for a message, and has at least one item', () => {
  const bytesOf = (bytes: number) => bytes;
  expect(fitting([], bytesOf)).toBe(0);
  expect(fitting([10, 20, 30], bytesOf)).toBe(3);
  expect(fitting([600_000, 400_000, 100_000], bytesOf)).toBe(2);
  expect(fitting([5_000_000, 1], bytesOf)).toBe(1);
});
