import { describe, expect, it } from 'vitest';
import { parseCommand } from './arguments.js';

describe('parseCommand', () => {
  it.each([[['--config', 'a.yaml']], [['--config=a.yaml']]])('takes the configuration from %j', (words) => {
    expect(parseCommand('discovery', words)).toEqual({ kind: 'run', config: 'a.yaml' });
  });

  it('needs no argument', () => {
    expect(parseCommand('discovery', [])).toEqual({ kind: 'run', config: undefined });
  });

  it('prints its usage and its version', () => {
    expect(parseCommand('discovery', ['-h'])).toMatchObject({
      kind: 'print',
      text: expect.stringContaining('/etc/slipway/discovery.yaml'),
    });
    expect(parseCommand('discovery', ['--version'])).toMatchObject({
      kind: 'print',
      text: expect.stringMatching(/^slipway discovery \d+\.\d+\.\d+/),
    });
  });

  it.each([[['--confg', 'a.yaml']], [['--config']], [['--config=']], [['a.yaml']]])('refuses %j', (words) => {
    expect(parseCommand('discovery', words)).toMatchObject({
      kind: 'wrong',
      text: expect.stringMatching(/./),
    });
  });
});
