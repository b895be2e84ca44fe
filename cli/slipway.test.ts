import { describe, expect, test } from 'vitest';
import { slipway } from '../test/fakes/fake-terminal.js';
import { commandTable } from './command-table.js';
import { serviceNames } from './terminal.js';

describe('the slipway command', () => {
  test('--help lists the commands, and so does each group', async () => {
    const { code, out } = await slipway(['--help']);
    expect(code).toBe(0);
    const names = commandTable.flatMap(({ commands }) =>
      commands.map(({ signature }) => signature.split(' ')[0] ?? ''),
    );
    const places = names.map((name) => out.search(new RegExp(`^  ${name} `, 'm')));
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    expect(places).not.toContain(-1);
    expect(await slipway(['certs', '--help'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('dev'),
    });
  });

  test('--version prints the version', async () => {
    expect(await slipway(['--version'])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^\d+\.\d+\.\d+/),
    });
  });

  test.each(serviceNames)('%s gets all that follows its name', async (name) => {
    const services: unknown[] = [];
    const flags = ['--config', 'x.yaml', '--version', '-h', '--unknown=1', 'more'];
    const onService = (...run: unknown[]) => void services.push(run);
    expect(await slipway([name, ...flags], { onService })).toEqual({ code: 0, out: '', err: '' });
    expect(services).toEqual([[name, flags]]);
  });

  test.each([
    { words: [], said: 'Usage' },
    { words: ['certs'], said: 'Usage' },
    { words: ['crets'], said: 'certs' },
    { words: ['keys', 'nwe'], said: 'new' },
    { words: ['keys', 'new', 'a', 'b'], said: 'too many arguments' },
  ])('$words: exit code 2, and what is meant', async ({ words, said }) => {
    const { code, out, err } = await slipway(words);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(said);
  });
});
