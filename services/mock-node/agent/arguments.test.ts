import { describe, expect, test } from 'vitest';
import { agentConfiguration } from '../../../test/fakes/agent-configurations.js';
import { checkConfiguration, checkNonce, checkSplay, checkSubject, readSettings } from './arguments.js';
import { type Configuration, filesOf } from './configuration.js';

const configuration = agentConfiguration();

function fieldsOf(changes: Partial<Configuration>): string[] {
  return checkConfiguration({ ...configuration, ...changes }, '/nodes/web-1').map(({ field }) => field);
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
  const json = '{"password":"hunter2\\n"}';
  const [violation] = checkConfiguration({ ...configuration, configurationJson: json }, '/nodes/web-1');
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
  const publicKey = Uint8Array.of(9, ...new Uint8Array(31));
  const exchange = { nodeEcdhPublic: publicKey, provisionerEcdhPublic: publicKey };

  test('with an exchange and encrypted passes', () => {
    expect(fieldsOf({ keyPem: pem(encrypted), ...exchange })).toEqual([]);
  });

  test('without an exchange is refused', () => {
    expect(fieldsOf({ keyPem: pem(encrypted) })).toEqual(['node_ecdh_public', 'provisioner_ecdh_public']);
  });

  test('with an exchange whose secret anybody knows is refused', () => {
    const keyPemOf = { keyPem: pem(encrypted), ...exchange };
    expect(fieldsOf({ ...keyPemOf, provisionerEcdhPublic: new Uint8Array(32) })).toEqual([
      'provisioner_ecdh_public',
    ]);
  });

  test('that is not encrypted is refused', () => {
    expect(fieldsOf({ keyPem: pem('Comment: Proc-Type: 4,ENCRYPTED'), ...exchange })).toEqual(['key_pem']);
  });
});

test('a certificate and a server token that are none are refused', () => {
  expect(fieldsOf({ certificatePem: 'no certificate', serverJwt: 'no token' })).toEqual([
    'certificate_pem',
    'server_jwt',
  ]);
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
  const settings = new Map([['a', '1']]);
  expect(filesOf(configuration, { settings, sslFolder: 'ssl', privateKeyPem: '' })).toEqual([
    { path: 'server.conf', content: 'a = 1\n', mode: 0o600 },
  ]);
  const full: Configuration = {
    ...configuration,
    certificatePem: 'c',
    caPem: 'a',
    serverJwt: 'j\n',
    actionPolicies: new Map([['p.policy', '']]),
    opaPolicies: new Map([['o.rego', 'x']]),
  };
  const files = filesOf(full, { settings, sslFolder: 'etc/ssl', privateKeyPem: 'k' });
  expect(files.map(({ path, mode }) => [path, mode])).toEqual([
    ['server.conf', 0o600],
    ['server.jwt', 0o600],
    ['etc/ssl/private.pem', 0o600],
    ['etc/ssl/certificate.pem', 0o644],
    ['etc/ssl/ca.pem', 0o644],
    ['policies/p.policy', 0o644],
    ['opa/o.rego', 0o644],
  ]);
  expect(files[1]?.content).toBe('j');
  expect(filesOf(full, { settings, sslFolder: '', privateKeyPem: 'k' })[2]?.path).toBe('private.pem');
});

test('a nonce has 32 bytes', () => {
  expect(checkNonce(new Uint8Array(32))).toEqual([]);
  for (const length of [0, 31, 33]) {
    expect(checkNonce(new Uint8Array(length))).toMatchObject([{ field: 'nonce' }]);
  }
});

describe('the subject of a certificate signing request', () => {
  const subject = {
    commonName: 'web-1.example.net',
    country: '',
    province: '',
    locality: '',
    organization: '',
    organizationalUnit: '',
  };

  test('needs a common name and nothing else', () => {
    expect(checkSubject(subject)).toEqual([]);
    expect(checkSubject({ ...subject, commonName: '' })).toMatchObject([{ field: 'common_name' }]);
  });

  test('is refused with what no certificate can have', () => {
    const bad = { ...subject, country: 'Malta', locality: 'a\nb', organization: 'x'.repeat(129) };
    expect(checkSubject(bad).map(({ field }) => field)).toEqual(['country', 'locality', 'organization']);
    expect(checkSubject({ ...subject, country: 'MT', organizationalUnit: 'Ops & Co' })).toEqual([]);
  });
});

test('ssl_dir is refused where the agent keeps other files', () => {
  for (const sslDir of ['state', '/nodes/web-1/policies/x', 'server.conf', 'a\nb']) {
    expect(fieldsOf({ sslDir })).toEqual(['ssl_dir']);
  }
});
