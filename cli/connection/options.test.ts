import { describe, expect, test } from 'vitest';
import { targetOf } from './options.js';

const tls = { tlsCert: 'c.pem', tlsKey: 'k.pem', tlsCa: 'ca.pem' };
const variables = { SLIPWAY_TLS_CERT: 'C.pem', SLIPWAY_TLS_KEY: 'K.pem', SLIPWAY_TLS_CA: 'CA.pem' };

function target(
  options: object,
  env: Record<string, string> = {},
  peer: 'provisioner' | 'discovery' = 'provisioner',
) {
  return targetOf(peer, { timeout: 5, ...options }, { env });
}

describe('where a service is', () => {
  test.each([
    ['provisioner', {}, {}, '127.0.0.1:7420'],
    ['discovery', {}, {}, '127.0.0.1:7412'],
    ['provisioner', {}, { SLIPWAY_PROVISIONER: 'p:1' }, 'p:1'],
    ['provisioner', { provisioner: 'q:2' }, { SLIPWAY_PROVISIONER: 'p:1' }, 'q:2'],
    ['discovery', { discovery: '[::1]:3' }, {}, '[::1]:3'],
  ] as const)('%s, %j, %j: %s', (peer, options, env, address) => {
    expect(target({ ...tls, ...options }, env, peer)).toMatchObject({ address, timeoutMs: 5 });
  });

  test.each([
    [{ provisioner: 'p' }, {}, '--provisioner: '],
    [{ provisioner: 'p:0' }, {}, '--provisioner: p:0: port 0 cannot be dialled'],
    [{}, { SLIPWAY_PROVISIONER: 'a:1,b:1' }, 'SLIPWAY_PROVISIONER names several services'],
  ])('%j, %j is told', (options, env, said) => {
    expect(() => target({ ...tls, ...options }, env)).toThrow(said);
  });
});

describe('how it is spoken to', () => {
  test.each([
    [tls, variables, { cert: 'c.pem', key: 'k.pem', ca: 'ca.pem' }],
    [{}, variables, { cert: 'C.pem', key: 'K.pem', ca: 'CA.pem' }],
    [{ tlsCert: 'c.pem' }, variables, { cert: 'c.pem', key: 'K.pem', ca: 'CA.pem' }],
    [{ insecure: true }, variables, undefined],
    [{}, { ...variables, SLIPWAY_TLS_MODE: 'insecure' }, undefined],
    [tls, { SLIPWAY_TLS_MODE: 'insecure' }, { cert: 'c.pem', key: 'k.pem', ca: 'ca.pem' }],
  ])('%j, %j', (options, env, expected) => {
    expect(target(options, env).tls).toEqual(expected);
  });

  test.each([
    [{}, 'who asks must show a certificate'],
    [{ tlsCert: 'c.pem', tlsCa: 'ca.pem' }, '--tls-key must be given too (or SLIPWAY_TLS_KEY)'],
    [
      { tlsCert: 'c.pem' },
      '--tls-key and --tls-ca must be given too (or SLIPWAY_TLS_KEY and SLIPWAY_TLS_CA)',
    ],
  ])('%j is told', (options, said) => {
    expect(() => target(options)).toThrow(said);
  });
});
