import { expect, test } from 'vitest';
import { printable, printableJson, shownJson } from './printable.js';

/** What terminals obey: ESC, CSI in one character, DEL, a line break, a turn of the direction of writing, a tag. */
const orders = '\u001b[31m\u009b2J\u007f\n\u202e\u2028\u{e0041}';

test('what a terminal would obey is shown by its number', () => {
  expect(printable(orders)).toBe('\\u{1b}[31m\\u{9b}2J\\u{7f}\\u{a}\\u{202e}\\u{2028}\\u{e0041}');
  expect(printable('grüße, 東京 👋')).toBe('grüße, 東京 👋');
});

test('JSON says the same, and has nothing for a terminal to obey', () => {
  const json = printableJson(JSON.stringify({ orders, [orders]: ['grüße'] }, undefined, 2));
  expect(json).not.toMatch(/[^\P{Cc}\n]|\p{Cf}|\u2028/u);
  expect(json.split('\n')).toHaveLength(6);
  expect(JSON.parse(json)).toEqual({ orders, [orders]: ['grüße'] });
});

test('texts in JSON are shown as they are printable, with their line breaks and tabs', () => {
  const text = `${orders}\r\b\f\t\\ \\u001b "`;
  const shown = JSON.parse(shownJson(printableJson(JSON.stringify([text]))))[0];
  expect(shown).toBe(
    '\\u{1b}[31m\\u{9b}2J\\u{7f}\n\\u{202e}\\u{2028}\\u{db40}\\u{dc41}\\u{d}\\u{8}\\u{c}\t\\ \\u001b "',
  );
});
