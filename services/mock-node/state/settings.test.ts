import { expect, test } from 'vitest';
import { enablesProvisioning, formatSettings, parseSettings } from './settings.js';

test('settings read back as they were written', () => {
  const settings = new Map([
    ['b', '2'],
    ['a', 'x = y # z'],
    ['empty', ''],
  ]);
  expect([...parseSettings(formatSettings(settings))]).toEqual([...settings]);
});

test('comments and lines that are no setting are passed over', () => {
  expect([...parseSettings('# c = 1\n\n  a=1  \nnothing\n= 2\n')]).toEqual([['a', '1']]);
});

test.each([
  ['true', true],
  ['1', true],
  ['Yes', true],
  ['false', false],
  ['0', false],
  ['', false],
])('plugin.choria.server.provision = %s decides', (value, expected) => {
  const settings = new Map([['plugin.choria.server.provision', value]]);
  expect(enablesProvisioning(settings, !expected)).toBe(expected);
});

test('without the setting the default decides', () => {
  expect(enablesProvisioning(new Map(), true)).toBe(true);
  expect(enablesProvisioning(new Map(), false)).toBe(false);
});
