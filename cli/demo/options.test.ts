import { expect, test } from 'vitest';
import { parseDemoOptions } from './options.js';

test('without flags: 25 nodes, the example helper, encryption, and an end', () => {
  expect(parseDemoOptions([])).toEqual({
    nodes: 25,
    helper: undefined,
    keep: false,
    insecure: false,
  });
});

test('what is given is taken', () => {
  const args = ['--nodes', '2000', '--helper', 'python3 a.py', '--keep', '--insecure'];
  expect(parseDemoOptions(args)).toEqual({
    nodes: 2000,
    helper: 'python3 a.py',
    keep: true,
    insecure: true,
  });
  expect(parseDemoOptions(['--help'])).toBeUndefined();
});

test.each([
  [['--nodes', '0'], '--nodes 0'],
  [['--nodes', '20001'], '--nodes 20001'],
  [['--nodes', '1e3'], '--nodes 1e3'],
  [['--nodes', ''], '--nodes'],
  [['--nodes'], '--nodes'],
  [['--nodess', '3'], '--nodess'],
  [['--helper', ' '], '--helper'],
  [['25'], '25'],
])('%j is refused by name', (args, named) => {
  expect(() => parseDemoOptions(args)).toThrow(named);
});
