import { describe, expect, test } from 'vitest';
import { ConfigError } from './config-error.js';
import { tellingVariables } from './origin.js';

async function told(env: NodeJS.ProcessEnv, ...problems: { path: string; message: string }[]) {
  const found = new ConfigError('the configuration of test', problems);
  const error = await tellingVariables(env, () => Promise.reject(found)).catch((thrown: unknown) => thrown);
  return { error: error as ConfigError, isFound: error === found };
}

const wrongFile = { path: 'tls.cert', message: 'a.pem: is no certificate' };

describe('a problem that comes up after loading', () => {
  test('names the variable that its setting came from', async () => {
    const { error } = await told({ SLIPWAY_TLS_CERT: 'a.pem' }, wrongFile, {
      path: 'targets[1]',
      message: 'is gone',
    });
    expect(error.message).toBe(`2 problems in the configuration of test:
  tls.cert: a.pem: is no certificate (from SLIPWAY_TLS_CERT)
  targets[1]: is gone`);
    const { error: list } = await told(
      { SLIPWAY_TARGETS: 'a,b' },
      { path: 'targets[1]', message: 'is gone' },
    );
    expect(list.problems).toEqual([{ path: 'targets[1]', message: 'is gone (from SLIPWAY_TARGETS)' }]);
  });

  test('is left as it is where the setting is of the file, or the variable is named already', async () => {
    expect(await told({ SLIPWAY_TLS_CERT: '' }, wrongFile)).toMatchObject({ isFound: true });
    const named = { path: 'tls.cert', message: 'is no path (from SLIPWAY_TLS_CERT)' };
    expect(await told({ SLIPWAY_TLS_CERT: 'a' }, named)).toMatchObject({ isFound: true });
  });

  test('anything else is thrown as it is, and what is done is given back', async () => {
    const other = new Error('gone');
    await expect(tellingVariables({}, () => Promise.reject(other))).rejects.toBe(other);
    expect(await tellingVariables({}, async () => 7)).toBe(7);
  });
});
