import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type JsonValue, parseJson } from './json.js';

/** The tree as JSON.parse would have made it. */
function plain(value: JsonValue): unknown {
  switch (value.type) {
    case 'object':
      return new Map(value.members.map(({ key, value: inner }) => [key, plain(inner)]));
    case 'array':
      return value.items.map(plain);
    case 'number':
      return Number(value.text);
    case 'null':
      return null;
    default:
      return value.value;
  }
}

function withMaps(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withMaps);
  if (typeof value !== 'object' || value === null) return value;
  return new Map(Object.entries(value).map(([key, inner]) => [key, withMaps(inner)]));
}

test('members keep their order and their repetitions, numbers their spelling', () => {
  expect(parseJson('{"b":1.0,"10":12345678901234567890,"2":null,"b":false}')).toEqual({
    type: 'object',
    members: [
      { key: 'b', value: { type: 'number', text: '1.0' } },
      { key: '10', value: { type: 'number', text: '12345678901234567890' } },
      { key: '2', value: { type: 'null' } },
      { key: 'b', value: { type: 'boolean', value: false } },
    ],
  });
});

test('lone surrogates become replacement characters, pairs stay', () => {
  expect(plain(parseJson('["\\ud800x","\\ud83d\\ude00"]'))).toEqual(['\ufffdx', '😀']);
  expect(plain(parseJson('{"\\udc00":1}'))).toEqual(new Map([['\ufffd', 1]]));
});

test.each([
  ['', 'line 1, column 1: unexpected end of the text'],
  ['\n', 'line 2, column 1: unexpected end of the text'],
  ['\ufeff{}', 'line 1, column 1: a byte order mark is not allowed'],
  ['Traceback (most recent call last):', 'line 1, column 1: expected a JSON value'],
  ['{}\n{}', 'line 2, column 1: nothing but white space may follow the object'],
  ['{"a":1,}', 'line 1, column 8: expected a key in double quotes'],
  ['[1,]', 'line 1, column 4: expected a JSON value'],
  ["{'a':1}", 'line 1, column 2: expected a JSON value'],
  ['{"a" 1}', 'line 1, column 6: expected a colon'],
  ['{"a":1 "b":2}', 'line 1, column 8: expected a comma'],
  ['{"a":1', 'line 1, column 7: unexpected end of the text'],
  ['{\n  // why\n}', 'line 2, column 3: comments are not allowed'],
  ['{"a":"b\n"}', 'line 1, column 6: the string that begins here is not closed on its line'],
  ['{"a":"\t"}', 'line 1, column 6: the string that begins here has an unescaped control character'],
  ['{"a":"\\x"}', 'line 1, column 6: the string that begins here has an unknown escape'],
  ['{"a":NaN}', 'line 1, column 6: expected a JSON value'],
  ['[01]', 'line 1, column 3: expected a comma'],
  ['\u00a0{}', 'line 1, column 1: expected a JSON value'],
])('%j: %s', (text, message) => {
  expect(() => parseJson(text)).toThrow(message);
});

test('depth is bounded', () => {
  expect(() => parseJson('['.repeat(5_000_000))).toThrow(
    'line 1, column 1001: nested more than 1000 levels deep',
  );
  expect(() => parseJson('['.repeat(1_000) + ']'.repeat(1_000))).not.toThrow();
});

test('an error never quotes the text', () => {
  const text = '{"key":"-----BEGIN secret';
  expect(() => parseJson(text)).toThrow(/^(?!.*secret)/);
});

test('every JSON text is read as JSON.parse reads it', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(plain(parseJson(text))).toEqual(withMaps(JSON.parse(text)));
    }),
  );
});

test('what JSON.parse refuses is refused, and the other way round', () => {
  const pieces = fc.constantFrom(
    ...[
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"\\u00e9"',
      '"\\u12"',
      '"',
      '\\',
      '0',
      '1',
      '-',
      '.',
      'e',
      '+',
      '0.5',
    ],
    ...[
      '1e3',
      'true',
      'null',
      ' ',
      '\t',
      '\n',
      '\r',
      '/',
      '*',
      '\u00a0',
      '\u2028',
      '\u0001',
      "'",
      'undefined',
    ],
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 9 }), (parts) => {
      const text = parts.join('');
      let ok = true;
      try {
        JSON.parse(text);
      } catch {
        ok = false;
      }
      if (ok) expect(() => parseJson(text)).not.toThrow();
      else expect(() => parseJson(text)).toThrow();
    }),
    { numRuns: 5_000 },
  );
});
