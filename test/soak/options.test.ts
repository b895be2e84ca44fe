import { expect, test } from 'vitest';
import { UsageError } from '../bench/command-line.js';
import { checkFile, parseSoakOptions } from './options.js';

test('without options it takes eight hours, at five nodes a second', () => {
  const options = { durationMs: 28_800_000, rate: 5, file: undefined, keep: false };
  expect(parseSoakOptions([])).toEqual(options);
});

test('a trial is told in minutes', () => {
  expect(parseSoakOptions(['--minutes', '3', '--rate', '0.5'])).toMatchObject({
    durationMs: 180_000,
    rate: 0.5,
  });
  expect(parseSoakOptions(['--hours', '0.5'])).toMatchObject({ durationMs: 1_800_000 });
});

test('all that cannot be used is said at once', () => {
  const words = ['--hours', '1', '--minutes', '0.5', '--rate', 'fast'];
  expect(() => parseSoakOptions(words)).toThrow(UsageError);
  expect(() => parseSoakOptions(words)).toThrow(
    [
      '--hours and --minutes exclude each other',
      '--minutes 0.5: expected a number from 1 to 10080',
      '--rate fast: expected a number from 0.1 to 200',
    ].join('\n'),
  );
  expect(() => parseSoakOptions(['--days', '1'])).toThrow(UsageError);
});

test('help runs nothing', () => {
  expect(parseSoakOptions(['--help'])).toBeUndefined();
});

test('a file that cannot be written to is refused before anything runs', () => {
  expect(() => checkFile('/')).toThrow(UsageError);
  expect(() => checkFile('/')).toThrow('--file /: cannot be written to: EISDIR');
  expect(() => checkFile('/nowhere/samples.jsonl')).toThrow('cannot be written to: ENOENT');
});

test('an option that there is not is named in a line', () => {
  expect(() => parseSoakOptions(['--days', '1'])).toThrow(/^Unknown option '--days'$/);
  expect(() => parseSoakOptions(['--rate', '-1'])).toThrow(
    /^--rate: expected a value that does not begin with a dash$/,
  );
});
