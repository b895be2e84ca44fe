import { expect, test } from 'vitest';
import { clip } from './text.js';

test('a text within the limit stays as it is', () => {
  expect(clip('configured', 10)).toBe('configured');
  expect(clip('', 10)).toBe('');
});

test('a text is cut at a whole character', () => {
  expect(clip('aé€😀', 3)).toBe('aé');
  expect(clip('aé€😀', 9)).toBe('aé€');
  expect(clip('aé€😀', 10)).toBe('aé€😀');
});

test('a lone surrogate, which no header can carry, is replaced', () => {
  expect(clip('a\ud800b', 100)).toBe('a\ufffdb');
  expect(() => encodeURI(clip('\udfff', 100))).not.toThrow();
});
