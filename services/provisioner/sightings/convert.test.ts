import { describe, expect, it } from 'vitest';
import { NodeEventType, NodeSource } from '../../../shared/gen/slipway/discovery/v1/discovery.js';
import { wireEvent, wireNode } from '../../../test/fakes/fake-discovery.js';
import { boot } from '../../../test/fakes/node-events.js';
import { InvalidEventError, toNodeEvent } from './convert.js';

const bytes = Buffer.from('ab'.repeat(32), 'hex');

describe('an event of discovery', () => {
  it('is a sighting, a departure or an arrival of the node that it names', () => {
    const types = [
      'STARTUP',
      'SIGHTED',
      'UPGRADED',
      'SHUTDOWN',
      'EXPIRED',
      'PROVISIONED',
      'CONFLICT',
    ] as const;
    for (const type of types) {
      expect(toNodeEvent(wireEvent({ type: NodeEventType[type] }), 'd:1')).toMatchObject({
        type,
        node: { identity: 'a.example.net', discovery: 'd:1', source: 'REPORTED' },
      });
    }
  });

  it('has names folded and bytes in hex', () => {
    const event = wireEvent({
      type: NodeEventType.PROVISIONED,
      node: wireNode({ identity: 'A.Example.NET', certificateSha256: bytes, source: NodeSource.PROBED }),
      runId: '0192F0C0-0000-7000-8000-000000000001',
      configurationDigest: bytes,
    });
    expect(toNodeEvent(event, 'd:1')).toEqual({
      type: 'PROVISIONED',
      node: {
        identity: 'a.example.net',
        bootId: '00000000-0000-4000-8000-000000000001',
        address: '127.0.0.1:1',
        certificateSha256: 'ab'.repeat(32),
        source: 'PROBED',
        discovery: 'd:1',
        epoch: 'epoch-1',
      },
      runId: '0192f0c0-0000-7000-8000-000000000001',
      configurationDigest: 'ab'.repeat(32),
    });
  });

  it('names no run where the node named none that can be one', () => {
    const event = wireEvent({
      type: NodeEventType.PROVISIONED,
      runId: 'junk',
      configurationDigest: bytes.subarray(1),
    });
    expect(toNodeEvent(event, 'd:1')).toMatchObject({ runId: undefined, configurationDigest: '' });
  });

  it('of a conflict names both addresses and boots', () => {
    const event = wireEvent({
      type: NodeEventType.CONFLICT,
      newcomer: wireNode({ address: '[2001:db8::1]:2', bootId: boot(2) }),
    });
    expect(toNodeEvent(event, 'd:1')).toMatchObject({
      node: { address: '127.0.0.1:1' },
      newcomerAddress: '[2001:db8::1]:2',
      newcomerBootId: boot(2),
    });
  });

  const broken: [string, Parameters<typeof wireEvent>[0]][] = [
    ['without a node', { node: undefined }],
    ['of a type that is not known', { type: 99 as never }],
    ['of no type', { type: NodeEventType.UNSPECIFIED }],
    ['of something that is no identity', { node: wireNode({ identity: 'a b' }) }],
    ['of something that is no boot', { node: wireNode({ bootId: '1' }) }],
    ['at a name', { node: wireNode({ address: 'a.example.net:1' }) }],
    ['at port 0', { node: wireNode({ address: '127.0.0.1:0' }) }],
    ['at no address', { node: wireNode({ address: '' }) }],
    ['with half a certificate hash', { node: wireNode({ certificateSha256: bytes.subarray(16) }) }],
  ];
  for (const [name, over] of broken) {
    it(`${name} is invalid`, () => {
      expect(() => toNodeEvent(wireEvent(over), 'd:1')).toThrow(InvalidEventError);
    });
  }
});
