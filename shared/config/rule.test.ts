import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ConfigFiles, problemsOf } from '../../test/fakes/sample-config.js';
import { duration, wholeNumber } from './fields.js';
import { loadConfig } from './load.js';
import { rule } from './rule.js';

const files = new ConfigFiles();

afterEach(() => files.remove());

describe('a rule over several settings', () => {
  const ruled = z
    .object({
      run_timeout: duration().prefault('10m'),
      upgrade: z.object({ timeout: duration().prefault('2m') }).prefault({}),
      other: wholeNumber().default(1),
    })
    .check(
      rule(['run_timeout', 'upgrade.timeout'], (config) =>
        config.run_timeout < 3 * config.upgrade.timeout ? 'expected at least 3 × upgrade.timeout' : undefined,
      ),
    );

  function problems(yaml: string): string[] {
    const source = { file: files.file(yaml), env: {} };
    return problemsOf(() => loadConfig({ schema: ruled, service: 'provisioner', source }));
  }

  it('is reported at its first setting', () => {
    expect(problems('')).toEqual([]);
    expect(problems('run_timeout: 1m')).toEqual([
      'run_timeout: expected at least 3 × upgrade.timeout (line 1)',
    ]);
  });

  it('is judged also where another setting is wrong', () => {
    expect(problems('run_timeout: 1m\nother: x')).toHaveLength(2);
  });

  it('is not judged where one of its own settings is wrong', () => {
    expect(problems('run_timeout: x')).toHaveLength(1);
    expect(problems('upgrade: 3')).toHaveLength(1);
    expect(problems('upgrade: {timeout: 3}')).toHaveLength(1);
  });
});
