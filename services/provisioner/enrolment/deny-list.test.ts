import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DenyListError, defaultDenyPatterns, parseDenyList } from './deny-list.js';

test('the defaults deny the names of Choria’s own users', () => {
  const list = parseDenyList(defaultDenyPatterns);
  expect(list.match('bob.mcollective')).toBe('\\.mcollective$');
  expect(list.match('bob.privileged.choria')).toBe('\\.privileged.choria$');
  expect(list.match('n1.example.net')).toBeUndefined();
  expect(list.match('n1.mcollective.example.net')).toBeUndefined();
});

test('a pattern may match anywhere', () => {
  expect(parseDenyList(['admin']).match('n1.admin.example.net')).toBe('admin');
});

test('the end of a pattern is the end of the name and not one before a line break', () => {
  const list = parseDenyList(['\\.mcollective$']);
  expect(list.match('bob.mcollective\n')).toBeUndefined();
  expect(parseDenyList(['(?m)\\.mcollective$']).match('bob.mcollective\n')).toBeDefined();
});

test.each([
  ['/\\.mcollective$/', 'bob.mcollective'],
  ['//bob//', 'bob'],
  ['/bob/', 'bob/'],
  ['///', 'anything'],
  ['/', 'a/b'],
  ['//', 'a//b'],
  ['', 'anything'],
])('%s matches %s', (pattern, name) => {
  expect(parseDenyList([pattern]).match(name)).toBe(pattern);
});

test.each(['/bob', 'bob/', '/bob|x', '/', '//'])('%s keeps its slashes: it is not between two', (pattern) => {
  expect(parseDenyList([pattern]).match('bob')).toBeUndefined();
});

test.each([
  ['\\Abob\\z', 'bob'],
  ['[[:alpha:]]+[[:digit:]]', 'bob1'],
  ['\\Qa.b\\E$', 'x.a.b'],
  ['(?P<who>bob)', 'bob'],
  ['(?<who>bob)', 'bob'],
  ['(?i)BOB', 'bob'],
  ['(?i:B)ob', 'bob'],
  ['\\pN', 'bob1'],
  ['\\p{Greek}', 'α'],
  ['^[^.]+$', 'bob'],
  ['a{1000}', 'a'.repeat(1000)],
])('%s is RE2 syntax and matches %s', (pattern, name) => {
  expect(parseDenyList([pattern]).match(name)).toBe(pattern);
});

test.each([
  'bo(?=b)',
  'bo(?!b)',
  '(?<=b)ob',
  '(bob)\\1',
  '(?P=who)',
  '(?>bob)',
  'a*+',
  'a{1001}',
  '(a{100}){100}',
  '\\Z',
  '\\C',
  '(bob',
  '[b-a]',
  '[[:foo:]]',
  '(?x)bob',
  '('.repeat(10_000) + ')'.repeat(10_000),
])('%s does not compile', (pattern) => {
  expect(() => parseDenyList([pattern])).toThrow(DenyListError);
});

test('every pattern that does not compile is named with its place', () => {
  let error: unknown;
  try {
    parseDenyList(['fine', 'bo(?=b)', '/(bob/']);
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toMatchObject({
    problems: [
      {
        index: 1,
        pattern: 'bo(?=b)',
        message: expect.stringMatching(/RE2.*\(\?=/),
      },
      { index: 2, pattern: '/(bob/', message: expect.stringContaining('missing closing )') },
    ],
    message: expect.stringMatching(/"bo\(\?=b\)": .*; "\/\(bob\/": /),
  });
});

test('patterns that make backtracking engines hang take no time', () => {
  const list = parseDenyList(['(a+)+$!', '(a|a|b)*c$', '(x+x+)+y', '[ab]*a[ab]{12}c']);
  const started = performance.now();
  expect(list.match('a'.repeat(60_000))).toBeUndefined();
  expect(list.match('x'.repeat(60_000))).toBeUndefined();
  expect(performance.now() - started).toBeLessThan(8_000);
});

test('whatever is given as a pattern compiles or is a problem that names it', () => {
  const fragments = fc.constantFrom(
    'a',
    '(',
    ')',
    '[',
    ']',
    '*',
    '{2}',
    '\\',
    '/',
    '(?',
    'P<',
    '|',
    '$',
    '\ud800',
    'é',
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(fragments, fc.string()), { maxLength: 8 }), fc.string(), (parts, name) => {
      const pattern = parts.join('');
      try {
        const matched = parseDenyList([pattern]).match(name);
        expect([undefined, pattern]).toContain(matched);
      } catch (error) {
        expect(error).toBeInstanceOf(DenyListError);
        expect(error).toMatchObject({ problems: [{ index: 0, pattern }] });
      }
    }),
  );
});
