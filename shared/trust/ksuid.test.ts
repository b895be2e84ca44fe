import { expect, test } from 'vitest';
import { ksuidTime, newKsuid } from './ksuid.js';

test.each([
  [1_400_000_000, '000005Dw8mHX2wYZfADG6WaEB0l'],
  [1_796_000_000, '3MnxBwXEpMy83kdrDkPc5QwmHwx'],
])('the id of second %d', (seconds, expected) => {
  expect(newKsuid(seconds, Buffer.alloc(16, 0xab))).toBe(expected);
});

test('an id tells its second, and no two are the same', () => {
  const [one, other] = [newKsuid(1_796_000_001), newKsuid(1_796_000_001)];
  expect(one).not.toBe(other);
  expect(ksuidTime(one)).toBe(1_796_000_001);
});

test('the largest id is one, and nothing beyond it', () => {
  expect(ksuidTime('aWgEPTl1tmebfsQzFP4bxwgy80V')).toBe(1_400_000_000 + 2 ** 32 - 1);
  expect(ksuidTime('aWgEPTl1tmebfsQzFP4bxwgy80W')).toBeUndefined();
});

test.each(['', 'short', '3MnxBwXEpMy83kdrDkPc5QwmHw!', '3MnxBwXEpMy83kdrDkPc5QwmHwx0', 'z'.repeat(27)])(
  '%j is no id',
  (text) => {
    expect(ksuidTime(text)).toBeUndefined();
  },
);
