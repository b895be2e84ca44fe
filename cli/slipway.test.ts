import { describe, expect, test } from 'vitest';
import { slipway } from '../test/fakes/fake-terminal.js';

describe('the slipway command', () => {
  test('--help lists the commands, and so does each group', async () => {
    const { code, out } = await slipway(['--help']);
    expect(code).toBe(0);
    for (const name of ['certs', 'keys', 'token']) expect(out).toContain(name);
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
