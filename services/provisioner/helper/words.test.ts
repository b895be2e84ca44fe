import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitWords } from './words.js';

test('quotes in the middle of a word belong to the word', () => {
  expect(splitWords(`a"b c"'d e'f`)).toEqual(['ab cd ef']);
});

test('a single-quoted backslash stands for itself', () => {
  expect(splitWords(String.raw`'a\b' 'c\'`)).toEqual([String.raw`a\b`, 'c\\']);
});

test('between double quotes a backslash escapes only what a shell would act on', () => {
  expect(splitWords(String.raw`"\a \$ \" \\ \` \'"`)).toEqual(['\\a $ " \\ ` \\\'']);
});

test('an escaped newline vanishes, also inside double quotes, but not inside single quotes', () => {
  expect(splitWords('"a\\\nb" \'c\\\nd\'')).toEqual(['ab', 'c\\\nd']);
  expect(splitWords('\\\n')).toEqual([]);
});

test('quotes and blanks may hold newlines', () => {
  expect(splitWords('\n a \n "b\nc"\t')).toEqual(['a', 'b\nc']);
});

test('only space, tab and newline separate words', () => {
  expect(splitWords('a\u00a0b c\u2003d e\rf')).toEqual(['a\u00a0b', 'c\u2003d', 'e\rf']);
});

test('operators and comments are words like others, since there is no shell', () => {
  expect(splitWords('a|b; #c &')).toEqual(['a|b;', '#c', '&']);
});

test.each([
  ["don't", 'Unterminated single-quoted string'],
  ['"abc', 'Unterminated double-quoted string'],
  ['"abc\\"', 'Unterminated double-quoted string'],
  ['"abc\\', 'Unterminated double-quoted string'],
  ['abc\\', 'Unterminated backslash-escape'],
  ['\\', 'Unterminated backslash-escape'],
])('%j is refused: %s', (text, message) => {
  expect(() => splitWords(text)).toThrow(message);
});

test('what a shell does with quotes and backslashes, this does too', () => {
  // Only characters that a shell neither expands nor runs.
  const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\t', "'", '"', '\\'), maxLength: 12 });
  const samples = fc.sample(text, { numRuns: 300, seed: 7 }).flatMap((sample) => {
    try {
      return [{ sample, words: splitWords(sample) }];
    } catch {
      return [];
    }
  });
  const script = samples
    .map(({ sample }) => `set -- ${sample}\nfor word do printf '%s\\0' "$word"; done\nprintf '\\1'`)
    .join('\n');
  const answers = execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' }).split('\u0001');
  const shell = samples.map((_, index) => (answers[index] ?? '').split('\0').slice(0, -1));
  expect(samples.map(({ words }) => words)).toEqual(shell);
});
