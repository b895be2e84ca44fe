import fc from 'fast-check';
import { expect, test } from 'vitest';
import { asLine } from './line.js';

/** Everything that some reader takes for the end of a line. */
const anyLineBreak = /[\n\v\f\r\x85\u2028\u2029]/;

test('an object stays what it is, on one line, however it was written', () => {
  const text = fc.string({
    unit: fc.constantFrom('a', '"', '\\', '\n', '\r', '\u0085', '\u2028', '\u2029', '😀'),
  });
  fc.assert(
    fc.property(fc.dictionary(text, text), fc.constantFrom('', '\n', '\r\n', '\t\r'), (object, indent) => {
      const json = JSON.stringify(object, undefined, 1).replaceAll('\n', `\n${indent}`);
      const line = asLine(`${indent}${json}${indent}`);
      expect(JSON.parse(line)).toEqual(object);
      expect(line.endsWith('}\n')).toBe(true);
      expect(line.slice(0, -1)).not.toMatch(anyLineBreak);
    }),
  );
});

test('numbers and the order of keys are kept', () => {
  expect(asLine('{"b": 12345678901234567890,\n "a": 1.0}\n')).toBe(
    '{"b": 12345678901234567890,  "a": 1.0}\n',
  );
});
