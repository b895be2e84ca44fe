import { status } from '@grpc/grpc-js';
import { describe, expect, it } from 'vitest';
import {
  type GetInventoryResponse,
  type IdentifyResponse,
  RunStage,
} from '../../../shared/gen/slipway/node/v1/node.js';
import { RpcError } from '../../../shared/grpc/errors.js';
import {
  ReplyError,
  toCallFailure,
  toConfigureRequest,
  toDigest,
  toInventory,
  toNodeDescription,
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
  });

  it('that was never sent is known as such', () => {
    const error = new RpcError(status.UNAVAILABLE, 'No connection established', { neverConnected: true });
    expect(toCallFailure(error)).toMatchObject({ kind: 'NOT_SENT', code: 'UNAVAILABLE' });
  });
});
