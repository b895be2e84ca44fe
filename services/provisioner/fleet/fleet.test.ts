import { describe, expect, it } from 'vitest';
import { settle } from '../../../test/fakes/fake-clock.js';
import { FleetBench, provisioned, supersededByBoot } from '../../../test/fakes/fleet-bench.js';
import { boot, cameUp, gone, node, sighted } from '../../../test/fakes/node-events.js';

const elsewhere = { discovery: 'discovery-2:7412', address: '192.0.2.2:7430' };

describe('admission', () => {
  it('runs a sighted node once, however often it is sighted', () => {
    const bench = new FleetBench({ workers: 4 });
    const { fleet } = bench;
    for (let times = 0; times < 3; times++) fleet.handle(sighted('a'));
    expect(bench.ran).toEqual(['a']);
    expect(bench.sink.types).toEqual(['HOST_QUEUED', 'RUN_STARTED']);
  });

  it('keeps the turn of a host that is sighted again, and takes over what is new', async () => {
    const bench = new FleetBench();
    const { fleet } = bench;
    for (const name of ['a', 'b', 'c']) fleet.handle(sighted(name));
    fleet.handle(sighted('b', 2, { address: '192.0.2.9:1', certificateSha256: 'ab' }));
    await bench.end(provisioned);
    expect(bench.runs.last.task.node).toEqual(
      node('b', 2, { address: '192.0.2.9:1', certificateSha256: 'ab' }),
    );
  });

  it('forgets who left while it was queued', async () => {
    const bench = new FleetBench();
    const { fleet } = bench;
    for (const name of ['a', 'b', 'c', 'd']) fleet.handle(sighted(name));
    fleet.handle(gone('b', 1, 'EXPIRED'));
    fleet.handle(cameUp('c', 2));
    await bench.end(provisioned);
    expect(bench.ran).toEqual(['a', 'd']);
    expect(bench.sink.of('HOST_RELEASED').map(({ identity, cause }) => [identity, cause])).toEqual([
      ['b', 'GONE'],
      ['c', 'CONFIGURED'],
    ]);
  });

  it('does not care for a boot that was replaced', async () => {
    const bench = new FleetBench();
    const { fleet } = bench;
    for (const name of ['a', 'b']) fleet.handle(sighted(name));
    fleet.handle(sighted('b', 2, { address: '192.0.2.9:1' }));
    fleet.handle(sighted('b', 1));
    fleet.handle(gone('b', 1));
    await bench.end(provisioned);
    expect(bench.runs.last.task.node).toMatchObject({ bootId: boot(2), address: '192.0.2.9:1' });
  });

  it('drops, counts and forgets who does not fit, and admits it later', async () => {
    const bench = new FleetBench({ queueLimit: 1 });
    const { fleet } = bench;
    for (const name of ['a', 'b', 'c']) fleet.handle(sighted(name));
    expect(bench.sink.of('HOST_DROPPED')).toEqual([{ type: 'HOST_DROPPED', count: 1, examples: ['c'] }]);
    expect(fleet.status.hosts).toEqual({ QUEUED: 1, RUNNING: 1, HELD: 0, BACKING_OFF: 0 });
    await bench.end(provisioned);
    fleet.handle(sighted('c'));
    await bench.end(provisioned);
    expect(bench.ran).toEqual(['a', 'b', 'c']);
  });

  it('of a conflict only tells', () => {
    const bench = new FleetBench();
    const { fleet } = bench;
    const newcomer = { newcomerAddress: '192.0.2.7:1', newcomerBootId: boot(2) };
    fleet.handle({ type: 'CONFLICT', node: node('a'), ...newcomer });
    expect(fleet.status.queued).toBe(0);
    expect(bench.sink.events).toEqual([
      { type: 'NODE_CONFLICT', identity: 'a', address: '192.0.2.1:7430', bootId: boot(1), ...newcomer },
    ]);
  });
});

describe('a running host', () => {
  it('is superseded by a new boot, which is run next', async () => {
    const bench = new FleetBench();
    const { fleet } = bench;
    fleet.handle(sighted('a'));
    fleet.handle(sighted('a', 2));
    expect(bench.runs.last.interruptions).toEqual(['SUPERSEDED']);
    expect(bench.runs.all).toHaveLength(1);
    await bench.end(supersededByBoot);
    expect(bench.runs.last.task).toMatchObject({ node: { bootId: boot(2) }, fetched: undefined });
  });

  it('is not superseded by the boot that its own Identify found', () => {
    const bench = new FleetBench();
    const { fleet } = bench;
    fleet.handle(sighted('a'));
    bench.runs.last.bootId = boot(2);
    fleet.handle(sighted('a', 2));
    fleet.handle(sighted('a', 1));
    expect(bench.runs.last.interruptions).toEqual([]);
    fleet.handle(sighted('a', 3));
    expect(bench.runs.last.interruptions).toEqual(['SUPERSEDED']);
  });

  it('takes over what is sighted of a boot later than the one that its Identify found', async () => {
    const bench = new FleetBench();
    const { fleet } = bench;
    fleet.handle(sighted('a'));
    fleet.handle(sighted('a', 3));
    bench.runs.last.bootId = boot(2);
    fleet.handle(sighted('a', 3, { address: '192.0.2.9:1' }));
    await bench.end(supersededByBoot);
    expect(bench.runs.last.task.node).toMatchObject({ bootId: boot(3), address: '192.0.2.9:1' });
  });

  it('is settled by the word of its node that it came up with the configuration of this run', () => {
    const bench = new FleetBench();
    const { fleet } = bench;
    fleet.handle(sighted('a'));
    fleet.handle(cameUp('a', 2, undefined));
    expect(bench.runs.last.settled).toBe(false);
    fleet.handle(cameUp('a', 2, bench.runs.last.runId));
    expect(bench.runs.last.settled).toBe(true);
    expect(bench.runs.last.interruptions).toEqual([]);
  });

  it('keeps what was fetched for the next run of the same boot', async () => {
    const bench = new FleetBench();
    const { fleet } = bench;
    fleet.handle(sighted('a'));
    const fetched = { bootId: boot(1), certificateSha256: '' };
    bench.runs.last.end({ kind: 'CANCELLED', cause: 'PAUSED' }, fetched);
    await settle();
    expect(bench.runs.last.task.fetched).toBe(fetched);
    fleet.handle(sighted('a', 2));
    bench.runs.last.end(supersededByBoot, fetched);
    await settle();
    expect(bench.runs.last.task.fetched).toBeUndefined();
  });

  it('loses what was fetched when it waits again and a new boot is sighted', async () => {
    const bench = new FleetBench();
    const { fleet } = bench;
    fleet.handle(sighted('a'));
    fleet.pause();
    await bench.end({ kind: 'CANCELLED', cause: 'PAUSED' }, { bootId: boot(1), certificateSha256: '' });
    fleet.handle(sighted('a', 2));
    fleet.resume();
    expect(bench.runs.last.task).toMatchObject({ node: { bootId: boot(2) }, fetched: undefined });
  });

  it('is let go when its turn comes again and it has left', async () => {
    const bench = new FleetBench();
    const { fleet } = bench;
    fleet.handle(sighted('a'));
    fleet.handle(gone('a'));
    await bench.end({ kind: 'CANCELLED', cause: 'PAUSED' });
    expect(bench.runs.all).toHaveLength(1);
    expect(bench.sink.of('HOST_RELEASED')).toMatchObject([{ identity: 'a', cause: 'GONE' }]);
  });
});

describe('a hold', () => {
  it('keeps the same boot out until it is over', async () => {
    const bench = new FleetBench();
    const { fleet } = bench;
    fleet.handle(sighted('a'));
    await bench.end(provisioned);
    fleet.handle(sighted('a'));
    await bench.clock.advance(59_999);
    expect(fleet.status.hosts.HELD).toBe(1);
    await bench.clock.advance(1);
    expect(fleet.status.hosts.HELD).toBe(0);
    fleet.handle(sighted('a'));
    expect(bench.runs.all).toHaveLength(2);
  });

  it('ends with a new boot', async () => {
    const bench = new FleetBench();
    const { fleet } = bench;
    fleet.handle(sighted('a'));
    await bench.end(provisioned);
    fleet.handle(sighted('a', 2));
    expect(bench.runs.last.task).toMatchObject({ node: { bootId: boot(2) }, fetched: undefined });
    expect(bench.clock.pendingTimers).toBe(0);
  });

  it('ends with a new boot that was sighted past the point of no return', async () => {
    const bench = new FleetBench();
    const { fleet } = bench;
    fleet.handle(sighted('a'));
    fleet.handle(sighted('a', 2));
    await bench.end(provisioned);
    expect(bench.runs.all).toHaveLength(2);
    expect(bench.runs.last.task.node.bootId).toBe(boot(2));
  });

  it('does not end with a boot that came up configured while the run was still busy', async () => {
    const bench = new FleetBench();
    const { fleet } = bench;
    fleet.handle(sighted('a'));
    fleet.handle(cameUp('a', 2, bench.runs.last.runId));
    await bench.end(provisioned);
    expect(fleet.status.hosts.HELD).toBe(1);
    expect(bench.runs.all).toHaveLength(1);
  });

  it('does not end when the node comes up configured in a new boot', async () => {
    const bench = new FleetBench();
    const { fleet } = bench;
    fleet.handle(sighted('a'));
    fleet.handle(gone('a'));
    await bench.end(provisioned);
    fleet.handle(cameUp('a', 2, bench.runs.last.runId));
    expect(fleet.status.hosts.HELD).toBe(1);
    expect(bench.runs.all).toHaveLength(1);
  });

  it('that ends with a full queue is a drop', async () => {
    const bench = new FleetBench({ queueLimit: 1 });
    const { fleet } = bench;
    fleet.handle(sighted('a'));
    await bench.end(provisioned);
    fleet.handle(sighted('b'));
    fleet.handle(sighted('c'));
    fleet.handle(sighted('a', 2));
    expect(bench.sink.of('HOST_DROPPED')).toMatchObject([{ count: 1, examples: ['a'] }]);
    expect(fleet.status.hosts.HELD).toBe(0);
  });
});

describe('a new boot that another discovery service names', () => {
  it('takes over where the incumbent does not answer', async () => {
    const bench = new FleetBench();
    const { fleet } = bench;
    for (const name of ['a', 'b']) fleet.handle(sighted(name));
    fleet.handle(sighted('b', 2, elsewhere));
    await settle();
    await bench.end(provisioned);
    expect(bench.runs.last.task.node).toMatchObject(elsewhere);
  });

  it('changes nothing and is told as a conflict where the incumbent answers', async () => {
    const bench = new FleetBench();
    const { fleet } = bench;
    fleet.handle(sighted('a'));
    bench.stillThere.push(bench.runs.last.task.node);
    fleet.handle(sighted('a', 2, elsewhere));
    await settle();
    expect(bench.runs.last.interruptions).toEqual([]);
    expect(bench.sink.of('NODE_CONFLICT')).toEqual([
      {
        type: 'NODE_CONFLICT',
        identity: 'a',
        address: '192.0.2.1:7430',
        bootId: boot(1),
        newcomerAddress: '192.0.2.2:7430',
        newcomerBootId: boot(2),
      },
    ]);
  });

  it.each([
    ['the same boot with another certificate', sighted('b', 1, { ...elsewhere, certificateSha256: 'ee' })],
    [
      'its shutdown, with another certificate',
      gone('b', 1, 'SHUTDOWN', { ...elsewhere, certificateSha256: 'ee' }),
    ],
    ['that another boot of it is configured', cameUp('b', 2, undefined, 'd1', elsewhere)],
  ])('cannot move or remove an incumbent that answers by reporting %s', async (_name, event) => {
    const bench = new FleetBench({ arrived: () => expect.fail('nobody came up') });
    const { fleet } = bench;
    fleet.handle(sighted('a'));
    const seen = sighted('b', 1, { certificateSha256: 'cc' });
    fleet.handle(seen);
    bench.stillThere.push(seen.node);
    fleet.handle(event);
    await settle();
    expect(bench.sink.of('NODE_CONFLICT')).toMatchObject([{ newcomerAddress: elsewhere.address }]);
    await bench.end(provisioned);
    expect(bench.runs.last.task.node).toEqual(seen.node);
  });

  it('is doubted likewise where the service is the same and was restarted: it has met nobody', async () => {
    const bench = new FleetBench();
    const { fleet } = bench;
    const { address } = elsewhere;
    for (const name of ['a', 'b']) fleet.handle(sighted(name));
    const incumbent = sighted('b', 1, { epoch: 'e2' });
    bench.stillThere.push(incumbent.node);
    fleet.handle(incumbent);
    for (const name of ['a', 'b']) fleet.handle(sighted(name, 2, { address, epoch: 'e3' }));
    await settle();
    expect(bench.runs.last.interruptions).toEqual(['SUPERSEDED']);
    expect(bench.sink.of('NODE_CONFLICT')).toMatchObject([{ identity: 'b', newcomerAddress: address }]);
    await bench.end(provisioned);
    expect(bench.runs.last.task.node).toEqual(incumbent.node);
  });

  it('is believed where it is the incumbent itself that another service hears', async () => {
    const bench = new FleetBench();
    const { fleet } = bench;
    for (const name of ['a', 'b']) fleet.handle(sighted(name, 1, { certificateSha256: 'cc' }));
    fleet.handle(gone('b', 1, 'SHUTDOWN', { ...elsewhere, certificateSha256: 'cc' }));
    expect(fleet.status.hosts.QUEUED).toBe(0);
  });

  it('is believed to have come up where nobody else has its name', async () => {
    const arrived: string[] = [];
    const { fleet } = new FleetBench({ arrived: ({ node }) => arrived.push(node.bootId) });
    fleet.handle(cameUp('a', 1));
    for (const name of ['a', 'b']) fleet.handle(sighted(name, 2));
    fleet.handle(cameUp('b', 3));
    fleet.handle(sighted('b', 4));
    fleet.handle(cameUp('b', 5, undefined, 'd1', elsewhere));
    await settle();
    expect(arrived).toEqual([boot(1), boot(3), boot(5)]);
  });

  it('takes over from no boot but the one that was asked', async () => {
    const bench = new FleetBench();
    const { fleet } = bench;
    for (const name of ['a', 'b']) fleet.handle(sighted(name));
    fleet.handle(sighted('b', 2, elsewhere));
    const rebooted = sighted('b', 3);
    bench.stillThere.push(rebooted.node);
    fleet.handle(rebooted);
    await settle();
    await bench.end(provisioned);
    expect(bench.runs.last.task.node).toEqual(rebooted.node);
    expect(bench.sink.of('NODE_CONFLICT')).toHaveLength(1);
  });

  it('is admitted where the incumbent was released in the meantime', async () => {
    const bench = new FleetBench();
    const { fleet } = bench;
    for (const name of ['a', 'b']) fleet.handle(sighted(name));
    fleet.handle(sighted('b', 2, elsewhere));
    fleet.handle(gone('b'));
    await settle();
    expect(fleet.status.hosts.QUEUED).toBe(1);
  });
});

describe('a pause', () => {
  it('keeps the queue, refreshes who is known, admits nobody and starts nothing', async () => {
    const bench = new FleetBench();
    const { fleet } = bench;
    for (const name of ['a', 'b']) fleet.handle(sighted(name));
    fleet.pause();
    expect(bench.runs.last.interruptions).toEqual(['PAUSED']);
    await bench.end({ kind: 'CANCELLED', cause: 'PAUSED' });
    fleet.handle(sighted('b', 1, { address: '192.0.2.9:1' }));
    fleet.handle(sighted('c'));
    expect(fleet.status.hosts).toEqual({ QUEUED: 2, RUNNING: 0, HELD: 0, BACKING_OFF: 0 });
    expect(bench.runs.all).toHaveLength(1);
    fleet.resume();
    expect(bench.ran).toEqual(['a', 'a']);
    await bench.end(provisioned);
    expect(bench.runs.last.task.node).toMatchObject({ identity: 'b', address: '192.0.2.9:1' });
  });
});

describe('a stop', () => {
  it('interrupts and hurries the runs, starts nothing and waits for their end', async () => {
    const bench = new FleetBench({ workers: 2 });
    const { fleet } = bench;
    for (const name of ['a', 'b', 'c']) fleet.handle(sighted(name));
    const [early, late] = bench.runs.all;
    let stopped = false;
    const stopping = fleet.stop(20_000).then(() => {
      stopped = true;
    });
    expect(early?.interruptions).toEqual(['STOPPING']);
    expect(late?.hurriedMs).toBe(20_000);
    early?.end({ kind: 'CANCELLED', cause: 'STOPPING' });
    await settle();
    expect(stopped).toBe(false);
    late?.end(provisioned);
    await stopping;
    fleet.handle(sighted('d'));
    expect(bench.runs.all).toHaveLength(2);
    expect(fleet.status.hosts).toEqual({ QUEUED: 1, RUNNING: 0, HELD: 1, BACKING_OFF: 0 });
  });
});

describe('the numbers', () => {
  it('say how long the first in line has waited', async () => {
    const bench = new FleetBench();
    const { fleet } = bench;
    expect(fleet.status.oldestQueuedMs).toBe(0);
    for (const name of ['a', 'b', 'c']) fleet.handle(sighted(name));
    await bench.clock.advance(5_000);
    expect(fleet.status).toEqual({
      hosts: { QUEUED: 2, RUNNING: 1, HELD: 0, BACKING_OFF: 0 },
      queued: 2,
      oldestQueuedMs: 5_000,
      busyWorkers: 1,
    });
  });

  it('count the wait anew from the tail, and on from the head', async () => {
    const bench = new FleetBench();
    const { fleet } = bench;
    fleet.handle(sighted('a'));
    await bench.clock.advance(5_000);
    fleet.pause();
    await bench.end(supersededByBoot);
    expect(fleet.status.oldestQueuedMs).toBe(0);
    fleet.resume();
    await bench.clock.advance(5_000);
    fleet.pause();
    await bench.end({ kind: 'CANCELLED', cause: 'PAUSED' });
    expect(fleet.status.oldestQueuedMs).toBe(5_000);
  });
});
