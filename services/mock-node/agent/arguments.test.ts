import { describe, expect, test } from 'vitest';
import { agentConfiguration } from '../../../test/fakes/agent-configurations.js';
import { checkConfiguration, checkSplay, readSettings } from './arguments.js';
import { type Configuration, filesOf } from './configuration.js';

const configuration = agentConfiguration();

function fieldsOf(changes: Partial<Configuration>): string[] {
  return checkConfiguration({ ...configuration, ...changes }).map(({ field }) => field);
}

describe('configuration_json is refused', () => {
  test.each([
    ['that is empty', ''],
    ['that is no JSON', '{"a":'],
    ['that is an array', '["a"]'],
    ['that is null', 'null'],
    ['that is a string', '"a"'],
    ['with no setting', '{}'],
    ['with a number', '{"a":1}'],
    ['with null', '{"a":null}'],
    ['with a line feed in a value', '{"a":"1\\nb = 2"}'],
    ['with a carriage return in a value', '{"a":"1\\r"}'],
    ['with a line break in a key', '{"a\\nb":"1"}'],
    ['with an empty key', '{"":"1"}'],
    ['with a key that reads back as another', '{"a = b":"1"}'],
    ['with a key that reads back as a comment', '{"#a":"1"}'],
  ])('%s', (_what, configurationJson) => {
    expect(fieldsOf({ configurationJson })).toEqual(['configuration_json']);
  });
});

test('settings keep their order, whatever their names', () => {
  const read = readSettings('{"z":"1","__proto__":"2","a":""}');
  expect(read.ok && [...read.settings]).toEqual([
    ['z', '1'],
    ['__proto__', '2'],
    ['a', ''],
  ]);
});

test('descriptions name keys and never hold a value', () => {
  const [violation] = checkConfiguration({
    ...configuration,
    configurationJson: '{"password":"hunter2\\n"}',
  });
  expect(violation?.description).toContain('password');
  expect(violation?.description).not.toContain('hunter2');
});

describe('the name of a policy is refused', () => {
  test.each([
    '../a.policy',
    '/a.policy',
    'a/b.policy',
    'a\\b.policy',
    'a.rego',
    'a',
    '.policy',
    '',
    'a\n.policy',
  ])('%j', (name) => {
    expect(fieldsOf({ actionPolicies: new Map([[name, 'x']]) })).toEqual(['action_policies']);
  });

  test('for its own suffix', () => {
    expect(fieldsOf({ opaPolicies: new Map([['a.policy', 'x']]) })).toEqual(['opa_policies']);
    expect(fieldsOf({ opaPolicies: new Map([['a.rego', 'x']]) })).toEqual([]);
    expect(fieldsOf({ actionPolicies: new Map([['a.policy', 'x']]) })).toEqual([]);
  });

  test('of more than 255 bytes', () => {
    expect(fieldsOf({ actionPolicies: new Map([[`${'ä'.repeat(125)}.policy`, 'x']]) })).toEqual([
      'action_policies',
    ]);
  });
});

describe('a key', () => {
  const encrypted = 'Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,00';
  const pem = (headers: string) => `-----BEGIN RSA PRIVATE KEY-----\n${headers}\n\nAA==\n`;
  const exchange = { nodeEcdhPublic: new Uint8Array(32), provisionerEcdhPublic: new Uint8Array(32) };

  test('with an exchange and encrypted passes', () => {
    expect(fieldsOf({ keyPem: pem(encrypted), ...exchange })).toEqual([]);
  });

  test('without an exchange is refused', () => {
    expect(fieldsOf({ keyPem: pem(encrypted) })).toEqual(['node_ecdh_public', 'provisioner_ecdh_public']);
  });

  test('that is not encrypted is refused', () => {
    expect(fieldsOf({ keyPem: pem('Comment: Proc-Type: 4,ENCRYPTED'), ...exchange })).toEqual(['key_pem']);
  });
});

test('every problem is told at once', () => {
  const changes = {
    configurationJson: '{"a":1,"b":2}',
    actionPolicies: new Map([['x', '']]),
    opaPolicies: new Map([['y', '']]),
  };
  expect(fieldsOf(changes)).toEqual([
    'configuration_json',
    'configuration_json',
    'action_policies',
    'opa_policies',
  ]);
});

test('a splay is from 0 s to 1 h', () => {
  expect([0, 1, 3_600_000].flatMap(checkSplay)).toEqual([]);
  for (const splayMs of [-1, 3_600_001, Number.NaN]) {
    expect(checkSplay(splayMs)).toMatchObject([{ field: 'splay' }]);
  }
});

test('only what a configuration has becomes a file', () => {
  expect(filesOf(configuration, new Map([['a', '1']]))).toEqual([
    { path: 'server.conf', content: 'a = 1\n', mode: 0o600 },
  ]);
  const full: Configuration = {
    ...configuration,
    keyPem: 'k',
    certificatePem: 'c',
    caPem: 'a',
    serverJwt: 'j',
    actionPolicies: new Map([['p.policy', '']]),
    opaPolicies: new Map([['o.rego', 'x']]),
  };
  expect(filesOf(full, new Map()).map(({ path }) => path)).toEqual([
    'server.conf',
    'server.jwt',
    'ssl/key.pem',
    'ssl/certificate.pem',
    'ssl/ca.pem',
    'policies/p.policy',
    'opa/o.rego',
  ]);
});
