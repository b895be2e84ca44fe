import { describe, expect, test } from 'vitest';
import { FakeNode } from '../../../test/fakes/fake-node-agent.js';
import { FleetBench, provisioned } from '../../../test/fakes/fleet-bench.js';
import { sighted } from '../../../test/fakes/node-events.js';
import { type ProvisionOrder, provision } from './provision.js';

const address = '192.0.2.1:7430';

class Bench extends FleetBench {
  readonly node = new FakeNode(this.clock);

  order(over: Partial<ProvisionOrder> = {}): Promise<void> {
    const options = {
      wishes: this.fleet.wishes,
      roster: this.fleet.roster,
      dial: this.node.dial,
      firstContact: this.node.meet,
      networks: [],
      lookup: () => Promise.resolve(['192.0.2.1']),
      identifyTimeoutMs: 2_000,
      clock: this.clock,
    };
    const order = { identity: this.node.identity, address: '', force: false, ...over };
    return provision(options, order, new AbortController().signal);
  }

  sight(): void {
    const { bootId } = this.node;
    this.fleet.handle(sighted(this.node.identity, 1, { bootId }));
  }
}

describe('a host that an operator wants provisioned', () => {
  test('is met at the address that is given, which may be a name, and run there', async () => {
    const bench = new Bench();
    bench.node.certificateSha256 = 'ab'.repeat(32);
    await bench.order({ address: 'n1.example.net:7430', force: true });
    expect(bench.runs.last.task).toMatchObject({
      node: {
        identity: bench.node.identity,
        bootId: bench.node.bootId,
        address,
        certificateSha256: 'ab'.repeat(32),
        source: 'PROBED',
        discovery: 'operator',
        epoch: '',
      },
      force: true,
    });
    expect(bench.node.openChannels).toBe(0);
  });

  test('is not asked for where it is known and waits, backs off or is run', async () => {
    const bench = new Bench();
    bench.sight();
    await bench.order();
    await bench.order({ address });
    await bench.end({ kind: 'DEFERRED', by: 'HELPER', message: '', retryAfterMs: 3_600_000 });
    await bench.order();
    expect(bench.runs.all).toHaveLength(2);
    expect(bench.node.calls).toEqual([]);
  });

  test('that was provisioned is run again where its node is in provisioning mode, and only there', async () => {
    const bench = new Bench();
    bench.sight();
    await bench.end(provisioned);
    bench.node.provisioning = false;
    await expect(bench.order()).rejects.toMatchObject({ kind: 'NOT_NOW', reason: 'NOT_PROVISIONING' });
    expect(bench.runs.all).toHaveLength(1);
    bench.node.provisioning = true;
    await bench.order();
    expect(bench.runs.all).toHaveLength(2);
    expect(bench.runs.last.task.node).toMatchObject({ discovery: 'discovery-1:7412', source: 'REPORTED' });
  });

  test('keeps how its discovery knows of it where an operator says where it is', async () => {
    const bench = new Bench();
    bench.sight();
    await bench.end(provisioned);
    await bench.order({ address: '192.0.2.1:7999' });
    expect(bench.runs.last.task.node).toMatchObject({
      address: '192.0.2.1:7999',
      discovery: 'operator',
      source: 'REPORTED',
    });
  });
});

describe('what an operator is told', () => {
  test('where nothing is known of the host and no address was given', async () => {
    await expect(new Bench().order()).rejects.toMatchObject({
      kind: 'UNKNOWN_HOST',
      reason: 'HOST_NOT_FOUND',
    });
  });

  test('where the node does not answer, or as somebody else, or is not in provisioning mode', async () => {
    const bench = new Bench();
    bench.node.gone = true;
    await expect(bench.order({ address })).rejects.toMatchObject({ kind: 'UNREACHABLE' });
    bench.node.gone = false;
    bench.node.provisioning = false;
    await expect(bench.order({ address })).rejects.toMatchObject({ reason: 'NOT_PROVISIONING' });
    bench.node.identity = 'n2.example.net' as typeof bench.node.identity;
    const identity = 'n1.example.net' as typeof bench.node.identity;
    await expect(bench.order({ identity, address })).rejects.toMatchObject({
      kind: 'NOT_NOW',
      reason: 'IDENTITY_MISMATCH',
    });
    expect(bench.runs.all).toEqual([]);
  });

  test('while it is paused, before anybody is asked, and where a pause came in between', async () => {
    const bench = new Bench();
    bench.fleet.pause();
    await expect(bench.order({ address })).rejects.toMatchObject({ kind: 'NOT_NOW', reason: 'PAUSED' });
    expect(bench.node.calls).toEqual([]);
    bench.fleet.resume();
    bench.node.onCall = () => bench.fleet.pause();
    await expect(bench.order({ address })).rejects.toMatchObject({ reason: 'PAUSED' });
  });

  test('where the queue is full', async () => {
    const bench = new Bench({ queueLimit: 1 });
    for (const name of ['busy', 'waits']) bench.fleet.handle(sighted(name));
    await expect(bench.order({ address })).rejects.toMatchObject({
      kind: 'QUEUE_FULL',
      reason: 'QUEUE_FULL',
    });
  });
});
