import { expect, test } from 'vitest';
import { parseReply } from '../../helper/reply.js';
import { oddities } from './oddities.js';

const features = { jwt: true, ed25519: true, pki: true, upgrades: true };

function odd(reply: object | string, over: Partial<Parameters<typeof oddities>[2]> = {}): string[] {
  const text = typeof reply === 'string' ? reply : JSON.stringify(reply);
  return oddities(text, parseReply(text), { features, provisioningByDefault: false, ...over });
}

test('a reply with every key there is has nothing odd about it', () => {
  const permissions = { submission: true, streams: true, governor: true, service_host: true };
  const reply = {
    identity: 'n1',
    defer: false,
    shutdown: null,
    msg: 'hello',
    key: 'k',
    certificate: 'c',
    ca: 'a',
    ssldir: '/etc/ssl',
    upgrade: '2.0.0',
    configuration: { 'plugin.choria.server.provision': 'false', Any: 'key' },
    action_policies: { 'a.policy': '' },
    opa_policies: { 'a.rego': '' },
    server_claims: { ou: 'x', exp: 9_000, collectives: [], pub_subjects: [], permissions },
  };
  expect(odd(reply)).toEqual([]);
  expect(odd({ defer: true, retry_after: '5m' })).toEqual([]);
});

test.each([
  ['{"configuratoin":{}}', 'configuratoin: is not known and counts for nothing; did you mean configuration?'],
  ['{"whatever":1}', 'whatever: is not known and counts for nothing'],
  ['{"Msg":"x"}', 'Msg: is read as msg'],
  ['{"msg":"x","msg":"y"}', 'msg: is given more than once; the last counts'],
  ['{"server_claims":{"org":"x"}}', 'server_claims.org: is not known and counts for nothing'],
  [
    '{"Server_Claims":{"permissions":{"stream":true}}}',
    'Server_Claims.permissions.stream: is not known and counts for nothing; did you mean streams?',
  ],
  ['{"defer":true,"shutdown":true}', 'shutdown: counts for nothing, for defer beats it'],
  ['{"retry_after":"5m"}', 'retry_after: counts only with defer'],
  ['{"shutdown":true}', 'msg: gives no reason for the shutdown'],
])('%s: %s', (reply, warning) => {
  expect(odd(reply)).toContain(warning);
});

test('null counts as absent, whatever it is called', () => {
  expect(odd('{"msg":"x","msg":null,"other":null}')).toEqual([]);
});

test('wishes for what is turned off count for nothing', () => {
  const off = { features: { jwt: false, ed25519: false, pki: false, upgrades: false } };
  expect(odd({ upgrade: '2', server_claims: { ou: 'x' } }, off)).toEqual([
    'upgrade: counts for nothing, for features.upgrades is off',
    'server_claims: counts for nothing, for features.ed25519 is off',
  ]);
});

test('what agents refuse is told by key and file name, never by value', () => {
  const reply = {
    configuration: { a: 's3cret\nline', 'b=c': '1' },
    action_policies: { '../x.policy': '', 'x.txt': '' },
    opa_policies: { '.rego': '' },
  };
  const found = odd(reply);
  expect(found).toEqual([
    'configuration: "a" holds a line break, and agents refuse that',
    'configuration: "b=c" is no key of a settings file, and agents refuse that',
    'action_policies: "../x.policy" is no file name that ends in .policy, and agents refuse that',
    'action_policies: "x.txt" is no file name that ends in .policy, and agents refuse that',
    'opa_policies: ".rego" is no file name that ends in .rego, and agents refuse that',
  ]);
  expect(found.join()).not.toContain('s3cret');
});

test('a configuration that leaves provisioning on is told, also where only the node’s token does', () => {
  const path = 'configuration.plugin.choria.server.provision';
  expect(odd({ configuration: { 'plugin.choria.server.provision': 'Yes' } })).toEqual([
    `${path}: leaves provisioning on: the node would refuse to restart (PROVISIONING_ENABLED)`,
  ]);
  expect(odd({ configuration: { a: 'b' } })).toEqual([]);
  expect(odd({ configuration: { a: 'b' } }, { provisioningByDefault: true })).toHaveLength(1);
  expect(odd({ defer: true }, { provisioningByDefault: true })).toEqual([]);
});

test('there is an end to what is told', () => {
  const many = Object.fromEntries(Array.from({ length: 70 }, (_, index) => [`unknown_${index}`, 1]));
  const found = odd(many);
  expect(found).toHaveLength(51);
  expect(found.at(-1)).toBe('and 20 more');
});
