import { describe, expect, test } from 'vitest';
import { plainView } from '../../test/fakes/views.js';
import { facts } from './facts.js';
import { fold, glue } from './fold.js';
import { table } from './table.js';

const columns = [
  { title: 'NAME', whole: true },
  { title: 'N', right: true },
  { title: 'EMPTY' },
  { title: 'MESSAGE' },
] as const;
const rows = [
  ['a.example.net', '7', '', { text: 'a message that is rather long', tone: 'bad' }],
  ['b', '12', '', ''],
] as const;

describe('a table', () => {
  test('is aligned and whole where a program reads it, without columns that are empty', () => {
    expect(table(columns, rows, plainView)).toEqual([
      'NAME            N  MESSAGE',
      'a.example.net   7  a message that is rather long',
      'b              12',
    ]);
  });

  test('is as wide as the terminal, and what must be whole is', () => {
    const lines = table(columns, rows, { ...plainView, columns: 30 });
    expect(lines[1]).toBe('a.example.net   7  a message…');
    expect(table(columns, rows, { ...plainView, columns: 5 })[1]).toBe('a.example.net   7  a messa…');
  });

  test('leaves out what can be spared, where there is no room for it', () => {
    const spare = columns.map((each) =>
      each.title === 'MESSAGE' ? { ...each, spare: true as const } : each,
    );
    const first = (wide: number) => table(spare, rows, { ...plainView, columns: wide })[1];
    expect(first(35)).toBe('a.example.net   7  a message that…');
    expect(first(34)).toBe('a.example.net   7');
  });

  test('has colours on a terminal, which take no room', () => {
    const [, first, second] = table(columns, rows, { ...plainView, colour: true });
    expect(first).toBe('a.example.net   7  \u001b[31ma message that is rather long\u001b[0m');
    expect(second).toBe('b              12');
  });
});

test('texts are folded between words', () => {
  expect(fold('one two three', 8)).toEqual(['one two', 'three']);
  expect(fold('one two three', undefined)).toEqual(['one two three']);
  expect(fold(`one two${glue}three`, 12)).toEqual(['one', 'two three']);
  expect(fold(`two${glue}three`, undefined)).toEqual(['two three']);
  expect(fold('incomprehensibilities too', 8)).toEqual(['incomprehensibilities', 'too']);
});

test('facts without anything to say are left out', () => {
  expect(
    facts(
      [
        ['a', 'one'],
        ['longer', ''],
        ['list', ['x', 'y']],
      ],
      plainView,
    ),
  ).toEqual(['a     one', 'list  x', '      y']);
});
