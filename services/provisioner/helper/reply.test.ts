import { expect, test } from 'vitest';
import type { Identity } from '../../../shared/identity.js';
import { Secret } from '../../../shared/secret.js';
import { HelperError, type HelperReply } from './helper.js';
import { parseReply } from './reply.js';

const nothing: HelperReply = {
  defer: false,
  shutdown: false,
  msg: '',
  key: undefined,
  certificate: '',
  ca: '',
  ssldir: '',
  upgrade: '',
  configuration: new Map(),
  actionPolicies: new Map(),
  opaPolicies: new Map(),
  retryAfterMs: undefined,
};

function refusal(text: string): string {
  try {
    parseReply(text);
  } catch (error) {
    if (error instanceof HelperError && error.reason === 'HELPER_INVALID') return error.message;
    throw error;
  }
  return 'accepted';
}

test('every key is optional and unknown keys are ignored', () => {
  expect(parseReply('{}')).toEqual(nothing);
  expect(parseReply(' {"version":2,"extra":{"defer":[1]}}\n')).toEqual(nothing);
});

test('every key is read', () => {
  const reply = parseReply(`{
    "defer": true, "shutdown": true, "msg": "m", "key": "k", "certificate": "c", "ca": "a", "ssldir": "/s",
    "upgrade": "1.2", "configuration": {"identity": "n1"}, "action_policies": {"a.policy": "x"},
    "opa_policies": {"b.rego": "y"}, "retry_after": "1m30s",
    "server_claims": {"ou": "acme", "exp": 3600, "collectives": ["c1"], "pub_subjects": ["x.>"],
      "permissions": {"submission": true, "streams": false, "governor": true, "service_host": true}}
  }`);
  expect(reply).toEqual({
    defer: true,
    shutdown: true,
    msg: 'm',
    key: new Secret('k'),
    certificate: 'c',
    ca: 'a',
    ssldir: '/s',
    upgrade: '1.2',
    configuration: new Map([['identity', 'n1']]),
    actionPolicies: new Map([['a.policy', 'x']]),
    opaPolicies: new Map([['b.rego', 'y']]),
    retryAfterMs: 90_000,
    serverClaims: {
      ou: 'acme',
      exp: 3600,
      collectives: ['c1'],
      pubSubjects: ['x.>'],
      permissions: { submission: true, streams: false, governor: true, serviceHost: true },
    },
  });
});

test('a private key is kept as a secret', () => {
  const reply = parseReply('{"key": "-----BEGIN"}');
  expect(reply.key?.reveal()).toBe('-----BEGIN');
  expect(JSON.stringify(reply)).not.toContain('BEGIN');
  expect(parseReply('{"key": ""}').key).toBeUndefined();
});

test('fixed keys are matched without regard to case and the one written last wins', () => {
  expect(parseReply('{"Msg":"a","MSG":"b"}').msg).toBe('b');
  expect(parseReply('{"msg":"a","MSG":"b","msg":"c"}').msg).toBe('c');
  expect(parseReply('{"Server_Claims":{"OU":"a","Permissions":{"Streams":true}}}').serverClaims).toEqual({
    ou: 'a',
    permissions: { streams: true },
  });
});

test('null is as absent, so that it takes nothing back', () => {
  expect(parseReply('{"msg":null,"defer":null,"configuration":null,"server_claims":null}')).toEqual(nothing);
  expect(parseReply('{"defer":true,"DEFER":null}').defer).toBe(true);
  expect(parseReply('{"server_claims":{"exp":null,"collectives":null}}').serverClaims).toEqual({});
});

test('inside an object of strings null is an empty string and keys are taken as they are', () => {
  const { configuration } = parseReply(
    '{"configuration":{"b":null,"A":"1","a":"2","a":"3","":"x","10":"y"}}',
  );
  expect([...configuration]).toEqual([
    ['b', ''],
    ['A', '1'],
    ['a', '3'],
    ['', 'x'],
    ['10', 'y'],
  ]);
});

test('keys that JavaScript treats specially are keys like others', () => {
  const reply = parseReply(
    '{"__proto__":{"defer":true},"constructor":1,"configuration":{"__proto__":"x","toString":"y"}}',
  );
  expect(reply.defer).toBe(false);
  expect([...reply.configuration]).toEqual([
    ['__proto__', 'x'],
    ['toString', 'y'],
  ]);
});

test.each([
  [
    '{"configuration":{"registerinterval":300}}',
    'configuration.registerinterval: expected a string, got the number 300',
  ],
  [
    '{"configuration":{"plugin.choria.server.provision":false}}',
    'configuration.plugin.choria.server.provision: expected a string, got false',
  ],
  ['{"configuration":{"a":["x"]}}', 'configuration.a: expected a string, got an array'],
  ['{"configuration":{"a\\nb":{}}}', 'configuration."a\\nb": expected a string, got an object'],
  ['{"configuration":[]}', 'configuration: expected an object of strings, got an array'],
  ['{"configuration":"identity=n1"}', 'configuration: expected an object of strings, got a string'],
  ['{"Action_Policies":{"x.policy":{}}}', 'Action_Policies.x.policy: expected a string, got an object'],
  ['{"defer":"true"}', 'defer: expected true or false, got the string "true"'],
  ['{"shutdown":1}', 'shutdown: expected true or false, got the number 1'],
  ['{"key":false}', 'key: expected a string, got false'],
  [
    '{"msg":123456789012345678901234567890}',
    'msg: expected a string, got the number 123456789012345678901234567890',
  ],
  [
    '{"retry_after":90}',
    'retry_after: expected a duration such as "90s", got the number 90 (a number alone has no unit: "90s" is seconds)',
  ],
  [
    '{"retry_after":"15"}',
    'retry_after: expected a duration such as "90s", got the string "15" (a number alone has no unit: "15s" is seconds)',
  ],
  ['{"retry_after":true}', 'retry_after: expected a duration such as "90s", got true'],
  ['{"retry_after":"soon"}', 'retry_after: expected a duration such as "90s", got the string "soon"'],
  ['{"server_claims":[]}', 'server_claims: expected an object, got an array'],
  ['{"server_claims":{"ou":1}}', 'server_claims.ou: expected a string, got the number 1'],
  ['{"server_claims":{"exp":"5y"}}', 'server_claims.exp: expected a number, got the string "5y"'],
  ['{"server_claims":{"exp":""}}', 'server_claims.exp: expected a number, got an empty string'],
  ['{"server_claims":{"exp":true}}', 'server_claims.exp: expected a number, got true'],
  ['{"server_claims":{"exp":1e999}}', 'server_claims.exp: expected a number, got the number 1e999'],
  [
    '{"server_claims":{"collectives":"a,b"}}',
    'server_claims.collectives: expected an array of strings, got a string',
  ],
  [
    '{"server_claims":{"pub_subjects":["a",null]}}',
    'server_claims.pub_subjects[1]: expected a string, got null',
  ],
  [
    '{"server_claims":{"permissions":{"streams":"yes"}}}',
    'server_claims.permissions.streams: expected true or false, got the string "yes"',
  ],
  ['[]', 'output: expected an object, got an array'],
  ['"{}"', 'output: expected an object, got a string'],
  ['null', 'output: expected an object, got null'],
  ['{}\n{}', 'line 2, column 1: nothing but white space may follow the object'],
  ['\n', 'line 2, column 1: unexpected end of the text'],
])('%s is refused: %s', (text, message) => {
  expect(refusal(text)).toBe(message);
});

test('a string that may be a secret is not quoted', () => {
  expect(refusal('{"configuration":"hunter2"}')).not.toContain('hunter2');
  expect(refusal('{"server_claims":"hunter2"}')).not.toContain('hunter2');
  expect(refusal(`{"defer":"${'x'.repeat(21)}"}`)).toBe('defer: expected true or false, got a string');
});

test('retry_after is at most 24 hours, and an empty one is as absent', () => {
  expect(parseReply('{"retry_after":"2d"}').retryAfterMs).toBe(86_400_000);
  expect(parseReply('{"retry_after":"24h"}').retryAfterMs).toBe(86_400_000);
  expect(parseReply('{"retry_after":"0s"}').retryAfterMs).toBe(0);
  expect(parseReply('{"retry_after":""}').retryAfterMs).toBeUndefined();
});

test('exp may be written as a string, with a fraction or negative: what it means is judged later', () => {
  expect(parseReply('{"server_claims":{"exp":"1900000000"}}').serverClaims).toEqual({ exp: 1_900_000_000 });
  expect(parseReply('{"server_claims":{"exp":1.5e3}}').serverClaims).toEqual({ exp: 1_500 });
  expect(parseReply('{"server_claims":{"exp":-1}}').serverClaims).toEqual({ exp: -1 });
});

test('claims that only Slipway may make are dropped', () => {
  const text =
    '{"server_claims":{"identity":"evil","public_key":"aa","purpose":"p","permissions":{"root":"x"}}}';
  expect(parseReply(text).serverClaims).toEqual({ permissions: {} });
});

test('a half emoji becomes a replacement character', () => {
  expect(parseReply('{"configuration":{"a\\ud83d":"b\\ud83d"}}').configuration).toEqual(
    new Map([['a\ufffd', 'b\ufffd']]),
  );
});

test.each([
  ['{"identity":"n1.example.net"}', undefined],
  ['{"Identity":"N1.Example.NET"}', undefined],
  ['{"identity":"n2.example.net","IDENTITY":"n1.example.net"}', undefined],
  ['{"identity":null}', undefined],
  ['{}', undefined],
  [
    '{"identity":"N2.example.net"}',
    'identity: the answer is for n2.example.net, and n1.example.net was asked about',
  ],
  [
    '{"identity":"n1.example.net","Identity":"n2.example.net"}',
    'Identity: the answer is for n2.example.net, and n1.example.net was asked about',
  ],
  [
    '{"identity":"n1.example.net."}',
    'identity: the answer is for what is no name of a node, and n1.example.net was asked about',
  ],
  [
    '{"identity":""}',
    'identity: the answer is for what is no name of a node, and n1.example.net was asked about',
  ],
  ['{"identity":7}', 'identity: expected a string, got the number 7'],
  // What else is wrong with it comes after.
  ['{"msg":1,"identity":"n2"}', 'identity: the answer is for n2, and n1.example.net was asked about'],
])('what says for which node it is has to be for that: %s', (text, message) => {
  const read = () => parseReply(text, 'n1.example.net' as Identity);
  if (message === undefined) expect(read()).toEqual(nothing);
  else expect(read).toThrow(expect.objectContaining({ reason: 'HELPER_INVALID', message }));
});

test('where nobody was asked about, what it says of that is not looked at', () => {
  for (const text of ['{"identity":"n2"}', '{"identity":7}']) expect(parseReply(text)).toEqual(nothing);
});
