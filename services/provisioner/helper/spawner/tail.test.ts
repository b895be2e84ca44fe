import { expect, test } from 'vitest';
import { Tail } from './tail.js';

test('the end is kept and the rest counted', () => {
  const tail = new Tail(4);
  for (const piece of ['ab', 'c', 'defghi', 'j']) tail.push(Buffer.from(piece));
  expect([tail.toString(), tail.total]).toEqual(['ghij', 10]);
});

test('what fits is kept whole', () => {
  const tail = new Tail(4);
  expect(tail.toString()).toBe('');
  tail.push(Buffer.from('äb'));
  expect(tail.toString()).toBe('äb');
});

test('a character that was cut in half is left out', () => {
  const tail = new Tail(4);
  tail.push(Buffer.from('x😀😀'.slice(0, 3)));
  tail.push(Buffer.from('abc'));
  expect(tail.toString()).toBe('abc');
});
