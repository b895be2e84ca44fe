import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { ConfigureRequest } from '../gen/slipway/node/v1/node.js';
import { configurationDigest } from './digest.js';

const request: ConfigureRequest = {
  configurationJson: '{"a":"ü"}',
  keyPem: 'KEY',
  certificatePem: '',
  caPem: 'CA',
  sslDir: '/etc/ssl',
  nodeEcdhPublic: Buffer.alloc(32, 1),
  provisionerEcdhPublic: Buffer.alloc(0),
  serverJwt: 'a.b.c',
  actionPolicies: { 'z.policy': 'last', 'a.policy': 'first', 'ä.policy': 'beyond ASCII' },
  opaPolicies: {},
};

/** Eight bytes, big endian. */
function count(value: number): Buffer {
  return Buffer.from(value.toString(16).padStart(16, '0'), 'hex');
}

function field(bytes: string | Buffer): Buffer {
  const content = Buffer.from(bytes);
  return Buffer.concat([count(content.length), content]);
}

test('the digest is SHA-256 over lengths and fields in the order of their numbers', () => {
  const expected = Buffer.concat([
    Buffer.from('000000000000000a7b2261223a22c3bc227d', 'hex'),
    field('KEY'),
    field(''),
    field('CA'),
    field('/etc/ssl'),
    field(Buffer.alloc(32, 1)),
    field(''),
    field('a.b.c'),
    count(3),
    field('a.policy'),
    field('first'),
    field('z.policy'),
    field('last'),
    field('ä.policy'),
    field('beyond ASCII'),
    count(0),
  ]);
  expect(configurationDigest(request).toString('hex')).toBe(
    createHash('sha256').update(expected).digest('hex'),
  );
});

test('both sides of the wire compute the same', () => {
  const received = ConfigureRequest.decode(ConfigureRequest.encode(request).finish());
  expect(configurationDigest(received)).toEqual(configurationDigest(request));
});

test('the order in which policies were added does not matter', () => {
  const actionPolicies = Object.fromEntries(Object.entries(request.actionPolicies).reverse());
  expect(configurationDigest({ ...request, actionPolicies })).toEqual(configurationDigest(request));
});

test('keys are sorted by their bytes, not by UTF-16', () => {
  const opaPolicies = { '\u{1f600}.rego': 'four bytes', '\uff5e.rego': 'three bytes' };
  const bytes = Buffer.concat([
    ...Array.from({ length: 8 }, () => field('')),
    count(0),
    count(2),
    field('\uff5e.rego'),
    field('three bytes'),
    field('\u{1f600}.rego'),
    field('four bytes'),
  ]);
  expect(configurationDigest(ConfigureRequest.fromPartial({ opaPolicies }))).toEqual(
    createHash('sha256').update(bytes).digest(),
  );
});

test('what moves from one field to the next makes another digest', () => {
  const one = ConfigureRequest.fromPartial({ keyPem: 'ab', certificatePem: 'c' });
  const other = ConfigureRequest.fromPartial({ keyPem: 'a', certificatePem: 'bc' });
  expect(configurationDigest(one)).not.toEqual(configurationDigest(other));
});
