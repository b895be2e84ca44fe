import { status } from '@grpc/grpc-js';
import { describe, expect, it } from 'vitest';
import {
  type GetInventoryResponse,
  type IdentifyResponse,
  RunStage,
} from '../../../shared/gen/slipway/node/v1/node.js';
import { pinMismatch } from '../../../shared/grpc/credentials.js';
import { RpcError } from '../../../shared/grpc/errors.js';
import {
  ReplyError,
  toCallFailure,
  toConfigureRequest,
  toDigest,
  toInventory,
  toNodeCsr,
  toNodeDescription,
  toNodeKey,
  toNodeToken,
  toRunStatus,
} from './convert.js';

const identified: IdentifyResponse = {
  identity: 'N1.Example.net',
  bootId: '0197F0AA-1111-4111-8111-111111111111',
  challenge: Buffer.alloc(32, 1),
  provisioning: true,
  version: '1.2.3',
  features: undefined,
};

const inventory: GetInventoryResponse = {
  version: '1.2.3',
  upgradable: false,
  agents: [],
  classes: [],
  collectives: [],
  mainCollective: '',
  dataPlugins: [],
  machinesJson: '',
  factsJson: '',
};

describe('a reply to Identify', () => {
  it('is read, its names folded', () => {
    expect(toNodeDescription(identified)).toMatchObject({
      identity: 'n1.example.net',
      bootId: '0197f0aa-1111-4111-8111-111111111111',
      provisioning: true,
      version: '1.2.3',
    });
  });

  it.each([
    ['no node name', { identity: 'a b' }],
    ['no identity', { identity: '' }],
    ['no boot', { bootId: 'boot' }],
    ['a short challenge', { challenge: Buffer.alloc(31) }],
    ['no challenge', { challenge: Buffer.alloc(0) }],
    ['a version that is none', { version: 'v'.repeat(257) }],
  ])('is refused with %s', (_name, junk) => {
    expect(() => toNodeDescription({ ...identified, ...junk })).toThrow(ReplyError);
  });

  it('says what the agent can do; one that says nothing can do nothing', () => {
    expect(toNodeDescription(identified).features).toEqual({
      jwt: false,
      ed25519: false,
      pki: false,
      upgrades: false,
    });
    const features = { jwt: true, ed25519: false, pki: true, upgrades: false };
    expect(toNodeDescription({ ...identified, features }).features).toEqual(features);
  });
});

describe('a token', () => {
  const token = { jwt: 'a.b.c', ecdhPublic: Buffer.alloc(32, 9) };

  it('is kept as a secret', () => {
    const read = toNodeToken(token);
    expect(read.jwt.reveal()).toBe('a.b.c');
    expect(JSON.stringify(read)).not.toContain('a.b.c');
  });

  it.each([
    ['no token', { jwt: '' }],
    ['a key of 31 bytes', { ecdhPublic: Buffer.alloc(31, 9) }],
    ['a key of 33 bytes', { ecdhPublic: Buffer.alloc(33, 9) }],
    ['no key', { ecdhPublic: Buffer.alloc(0) }],
    ['a key of low order', { ecdhPublic: Buffer.alloc(32) }],
  ])('is refused with %s', (_name, junk) => {
    expect(() => toNodeToken({ ...token, ...junk })).toThrow(ReplyError);
  });
});

const badPaths: [string, string][] = [
  ['a relative path', 'etc/node'],
  ['a path relative to where a drive is', 'C:node'],
  ['a path with a line break', '/etc/node\nkey=value'],
  ['a path with a NUL', '/etc/node\0'],
  ['a path with a line separator', '/etc/\u2028node'],
  ['an endless path', `/${'a'.repeat(5_000)}`],
];

describe('a key', () => {
  const key = { publicKey: Buffer.alloc(32, 1), signature: Buffer.alloc(64, 2), directory: '/etc/node' };
  const read = {
    ...key,
    publicKey: Uint8Array.from(key.publicKey),
    signature: Uint8Array.from(key.signature),
  };

  it('is read', () => expect(toNodeKey(key)).toEqual(read));

  it('keeps no other memory in use where it is kept for long', () => {
    const pooled = { ...key, publicKey: Buffer.from(key.publicKey), signature: Buffer.from(key.signature) };
    const { publicKey, signature } = toNodeKey(pooled);
    expect([publicKey, signature].map(({ buffer }) => buffer.byteLength)).toEqual([32, 64]);
  });

  it.each<[string, object]>([
    ['31 bytes', { publicKey: Buffer.alloc(31) }],
    ['33 bytes', { publicKey: Buffer.alloc(33) }],
    ['no bytes', { publicKey: Buffer.alloc(0) }],
    ['a signature of 63 bytes', { signature: Buffer.alloc(63) }],
    ['no directory', { directory: '' }],
    ...badPaths.map(([name, directory]): [string, object] => [name, { directory }]),
  ])('is refused with %s', (_name, junk) => {
    expect(() => toNodeKey({ ...key, ...junk })).toThrow(ReplyError);
  });
});

describe('a certificate signing request', () => {
  const csr = { csrPem: 'CSR', publicKeyPem: '', sslDir: '' };

  it('need not name a directory', () => expect(toNodeCsr(csr)).toEqual(csr));

  it.each(['/etc/node/ssl', 'C:\\ProgramData\\node', 'd:/node'])('may name %s', (sslDir) => {
    expect(toNodeCsr({ ...csr, sslDir }).sslDir).toBe(sslDir);
  });

  it.each<[string, object]>([
    ['nothing in it', { csrPem: '' }],
    ...badPaths.map(([name, sslDir]): [string, object] => [name, { sslDir }]),
  ])('is refused with %s', (_name, junk) => {
    expect(() => toNodeCsr({ ...csr, ...junk })).toThrow(ReplyError);
  });
});

describe('an inventory', () => {
  it('is passed on as it came', () => {
    const factsJson = '{ "b": 12345678901234567890, "a": 1.0 }';
    expect(toInventory({ ...inventory, factsJson })).toMatchObject({ factsJson, machinesJson: '' });
  });

  it.each([
    ['facts that are no JSON', { factsJson: '{' }],
    ['facts that are no object', { factsJson: '[]' }],
    ['facts that are null', { factsJson: 'null' }],
    ['machines that are no JSON', { machinesJson: '[1,]' }],
    ['JSON with more behind it', { factsJson: '{} {}' }],
  ])('is refused with %s', (_name, junk) => {
    expect(() => toInventory({ ...inventory, ...junk })).toThrow(ReplyError);
  });

  it('as deep as it may be harms nothing', () => {
    const depth = 1_000_000;
    const machinesJson = `${'['.repeat(depth)}${']'.repeat(depth)}`;
    expect(() => toInventory({ ...inventory, machinesJson })).not.toThrow(TypeError);
  });
});

describe('a run’s status', () => {
  it('is read', () => {
    const reply = {
      stage: RunStage.CONFIRMED,
      configurationDigest: Buffer.alloc(32, 0xab),
      updatedAt: undefined,
    };
    expect(toRunStatus(reply)).toEqual({ stage: 'CONFIRMED', configurationDigest: 'ab'.repeat(32) });
  });

  it('of an unknown stage is refused', () => {
    for (const stage of [RunStage.UNSPECIFIED, RunStage.UNRECOGNIZED, 99 as RunStage]) {
      const reply = { stage, configurationDigest: Buffer.alloc(0), updatedAt: undefined };
      expect(() => toRunStatus(reply)).toThrow(ReplyError);
    }
  });
});

it('a digest of the wrong length is refused', () => {
  expect(() => toDigest({ message: '', configurationDigest: Buffer.alloc(31) })).toThrow(ReplyError);
});

it('a policy with a name that objects have already is one policy', () => {
  const request = toConfigureRequest({
    configurationJson: '{}',
    keyPem: '',
    certificatePem: '',
    caPem: '',
    sslDir: '',
    nodeEcdhPublic: Buffer.alloc(0),
    provisionerEcdhPublic: Buffer.alloc(0),
    serverJwt: '',
    actionPolicies: new Map([['__proto__', 'x']]),
    opaPolicies: new Map(),
  });
  expect(Object.entries(request.actionPolicies)).toEqual([['__proto__', 'x']]);
});

describe('a failed call', () => {
  it('says which argument was refused', () => {
    const error = new RpcError(status.INVALID_ARGUMENT, 'bad argument', {
      reason: 'ARGUMENT_INVALID',
      violations: [{ field: 'configuration_json', description: 'line break in a value' }],
    });
    expect(toCallFailure(error)).toMatchObject({
      kind: 'STATUS',
      code: 'INVALID_ARGUMENT',
      reason: 'ARGUMENT_INVALID',
      message: 'bad argument; configuration_json: line break in a value',
    });
    const said = new RpcError(status.INVALID_ARGUMENT, 'splay: over 1 h', {
      violations: [{ field: 'splay', description: 'over 1 h' }],
    });
    expect(toCallFailure(said)).toMatchObject({ message: 'splay: over 1 h' });
  });

  it('that came to its deadline says so plainly', () => {
    const details = 'Deadline exceeded after 2.001s,LB pick: 0.024s,remote_addr=192.0.2.2:7524';
    const message = 'no answer within 2 s';
    expect(toCallFailure(new RpcError(status.DEADLINE_EXCEEDED, details))).toMatchObject({
      kind: 'STATUS',
      message,
    });
  });

  it('that was never sent is known as such', () => {
    const details = 'No connection established. Last error: Error: connect ECONNREFUSED. Resolution note: ';
    const error = new RpcError(status.UNAVAILABLE, details, { neverConnected: true });
    const message = 'connect ECONNREFUSED';
    expect(toCallFailure(error)).toMatchObject({ kind: 'NOT_SENT', code: 'UNAVAILABLE', message });
    expect(toCallFailure(error)).not.toHaveProperty('anotherCertificate');
  });

  it('to a node with another certificate is told from one to a node that is away', () => {
    const message = `No connection established. Last error: Error: ${pinMismatch}`;
    const error = new RpcError(status.UNAVAILABLE, message, { neverConnected: true });
    expect(toCallFailure(error)).toMatchObject({ kind: 'NOT_SENT', anotherCertificate: true });
  });
});
