import { beforeEach, describe, expect, it } from 'vitest';
import { FakeClock, settle } from '../../../test/fakes/fake-clock.js';
import { FakeRuns } from '../../../test/fakes/fake-runs.js';
import { boot, cameUp, gone, node, sighted } from '../../../test/fakes/node-events.js';
import { RecordingSink } from '../../../test/fakes/recording-sink.js';
import type { FailureReason, Outcome } from '../run/outcome.js';
import { Fleet, type FleetOptions } from './fleet.js';
import { Freshness } from './freshness.js';
import type { SightedNode } from './node-event.js';

const intervalMs = 60_000;
const provisioned: Outcome = { kind: 'PROVISIONED', unsettled: false };
const elsewhere = { discovery: 'discovery-2:7412', address: '192.0.2.2:7430' };

let clock: FakeClock;
let runs: FakeRuns;
let sink: RecordingSink;
let freshness: Freshness;
let stillThere: SightedNode[];

beforeEach(() => {
  clock = new FakeClock();
  runs = new FakeRuns();
  sink = new RecordingSink();
  freshness = new Freshness(clock, intervalMs);
  freshness.synced('discovery-1:7412', intervalMs);
  stillThere = [];
});

function newFleet(over: Partial<FleetOptions> = {}): Fleet {
  return new Fleet({
    workers: 1,
    queueLimit: 100,
    holdMs: 60_000,
    backoffMaxMs: 1_800_000,
    clock,
    random: () => 0.5,
    freshness,
    startRun: runs.start,
    isStillThere: (incumbent) => Promise.resolve(stillThere.includes(incumbent)),
    sink,
    ...over,
  });
}

function failure(reason: FailureReason = 'UNREACHABLE'): Outcome {
  return { kind: 'FAILED', reason, message: 'it failed' };
}

async function end(outcome: Outcome): Promise<void> {
  runs.last.end(outcome);
  await settle();
}

function names(): string[] {
  return runs.all.map((run) => run.task.node.identity);
}

describe('admission', () => {
  it('runs a sighted node once, however often it is sighted', () => {
    const fleet = newFleet({ workers: 4 });
    for (let times = 0; times < 3; times++) fleet.handle(sighted('a'));
    expect(names()).toEqual(['a']);
    expect(sink.types).toEqual(['HOST_QUEUED', 'RUN_STARTED']);
  });

  it('keeps the turn of a host that is sighted again, and takes over what is new', async () => {
    const fleet = newFleet();
    for (const name of ['a', 'b', 'c']) fleet.handle(sighted(name));
    fleet.handle(sighted('b', 2, { address: '192.0.2.9:1', certificateSha256: 'ab' }));
    await end(provisioned);
    expect(runs.last.task.node).toEqual(node('b', 2, { address: '192.0.2.9:1', certificateSha256: 'ab' }));
  });

  it('forgets who left while it was queued', async () => {
    const fleet = newFleet();
    for (const name of ['a', 'b', 'c', 'd']) fleet.handle(sighted(name));
    fleet.handle(gone('b', 1, 'EXPIRED'));
    fleet.handle(cameUp('c', 2));
    await end(provisioned);
    expect(names()).toEqual(['a', 'd']);
    expect(sink.of('HOST_RELEASED').map(({ identity, cause }) => [identity, cause])).toEqual([
      ['b', 'GONE'],
      ['c', 'CONFIGURED'],
    ]);
  });

  it('does not care for a boot that was replaced', async () => {
    const fleet = newFleet();
    for (const name of ['a', 'b']) fleet.handle(sighted(name));
    fleet.handle(sighted('b', 2, { address: '192.0.2.9:1' }));
    fleet.handle(sighted('b', 1));
    fleet.handle(gone('b', 1));
    await end(provisioned);
    expect(runs.last.task.node).toMatchObject({ bootId: boot(2), address: '192.0.2.9:1' });
  });

  it('drops, counts and forgets who does not fit, and admits it later', async () => {
    const fleet = newFleet({ queueLimit: 1 });
    for (const name of ['a', 'b', 'c']) fleet.handle(sighted(name));
    expect(sink.of('HOST_DROPPED')).toEqual([{ type: 'HOST_DROPPED', count: 1, examples: ['c'] }]);
    expect(fleet.status.hosts).toEqual({ QUEUED: 1, RUNNING: 1, HELD: 0, BACKING_OFF: 0 });
    await end(provisioned);
    fleet.handle(sighted('c'));
    await end(provisioned);
    expect(names()).toEqual(['a', 'b', 'c']);
  });

  it('of a conflict only tells', () => {
    const fleet = newFleet();
    fleet.handle({ type: 'CONFLICT', node: node('a'), newcomerAddress: '192.0.2.7:1' });
    expect(fleet.status.queued).toBe(0);
    expect(sink.events).toEqual([
      { type: 'NODE_CONFLICT', identity: 'a', address: '192.0.2.1:7430', newcomerAddress: '192.0.2.7:1' },
    ]);
  });
});

describe('a running host', () => {
  it('is superseded by a new boot, which is run next', async () => {
    const fleet = newFleet();
    fleet.handle(sighted('a'));
    fleet.handle(sighted('a', 2));
    expect(runs.last.interruptions).toEqual(['SUPERSEDED']);
    expect(runs.all).toHaveLength(1);
    await end({ kind: 'SUPERSEDED', by: 'BOOT', message: '' });
    expect(runs.last.task).toMatchObject({ node: { bootId: boot(2) }, fetched: undefined });
  });

  it('is not superseded by the boot that its own Identify found', () => {
    const fleet = newFleet();
    fleet.handle(sighted('a'));
    runs.last.bootId = boot(2);
    fleet.handle(sighted('a', 2));
    fleet.handle(sighted('a', 1));
    expect(runs.last.interruptions).toEqual([]);
    fleet.handle(sighted('a', 3));
    expect(runs.last.interruptions).toEqual(['SUPERSEDED']);
  });

  it('is settled by the word of its node that it came up with the configuration of this run', () => {
    const fleet = newFleet();
    fleet.handle(sighted('a'));
    fleet.handle(cameUp('a', 2, undefined));
    expect(runs.last.settledWith).toEqual([]);
    fleet.handle(cameUp('a', 2, runs.last.runId, 'abc'));
    expect(runs.last.settledWith).toEqual(['abc']);
    expect(runs.last.interruptions).toEqual([]);
  });

  it('keeps what was fetched for the next run of the same boot', async () => {
    const fleet = newFleet();
    fleet.handle(sighted('a'));
    const fetched = { bootId: boot(1) };
    runs.last.end({ kind: 'CANCELLED', cause: 'PAUSED' }, fetched);
    await settle();
    expect(runs.last.task.fetched).toBe(fetched);
    fleet.handle(sighted('a', 2));
    runs.last.end({ kind: 'SUPERSEDED', by: 'BOOT', message: '' }, fetched);
    await settle();
    expect(runs.last.task.fetched).toBeUndefined();
  });

  it('is let go when its turn comes again and it has left', async () => {
    const fleet = newFleet();
    fleet.handle(sighted('a'));
    fleet.handle(gone('a'));
    await end({ kind: 'CANCELLED', cause: 'PAUSED' });
    expect(runs.all).toHaveLength(1);
    expect(sink.of('HOST_RELEASED')).toMatchObject([{ identity: 'a', cause: 'GONE' }]);
  });
});

describe('a hold', () => {
  it('keeps the same boot out until it is over', async () => {
    const fleet = newFleet();
    fleet.handle(sighted('a'));
    await end(provisioned);
    fleet.handle(sighted('a'));
    await clock.advance(59_999);
    expect(fleet.status.hosts.HELD).toBe(1);
    await clock.advance(1);
    expect(fleet.status.hosts.HELD).toBe(0);
    fleet.handle(sighted('a'));
    expect(runs.all).toHaveLength(2);
  });

  it('ends with a new boot', async () => {
    const fleet = newFleet();
    fleet.handle(sighted('a'));
    await end(provisioned);
    fleet.handle(sighted('a', 2));
    expect(runs.last.task).toMatchObject({ node: { bootId: boot(2) }, fetched: undefined });
    expect(clock.pendingTimers).toBe(0);
  });

  it('ends with a new boot that was sighted past the point of no return', async () => {
    const fleet = newFleet();
    fleet.handle(sighted('a'));
    fleet.handle(sighted('a', 2));
    await end(provisioned);
    expect(runs.all).toHaveLength(2);
    expect(runs.last.task.node.bootId).toBe(boot(2));
  });

  it('does not end when the node comes up configured in a new boot', async () => {
    const fleet = newFleet();
    fleet.handle(sighted('a'));
    fleet.handle(gone('a'));
    await end(provisioned);
    fleet.handle(cameUp('a', 2, runs.last.runId));
    expect(fleet.status.hosts.HELD).toBe(1);
    expect(runs.all).toHaveLength(1);
  });

  it('that ends with a full queue is a drop', async () => {
    const fleet = newFleet({ queueLimit: 1 });
    fleet.handle(sighted('a'));
    await end(provisioned);
    fleet.handle(sighted('b'));
    fleet.handle(sighted('c'));
    fleet.handle(sighted('a', 2));
    expect(sink.of('HOST_DROPPED')).toMatchObject([{ count: 1, examples: ['a'] }]);
    expect(fleet.status.hosts.HELD).toBe(0);
  });
});

describe('failures', () => {
  it('are released twice and admitted again by a later sighting, then back off', async () => {
    const fleet = newFleet();
    for (const failures of [1, 2]) {
      fleet.handle(sighted('a'));
      await end(failure());
      expect(sink.of('RUN_FINISHED').at(-1)).toMatchObject({
        nextState: 'RELEASED',
        failuresInRow: failures,
      });
    }
    fleet.handle(sighted('a'));
    await end(failure());
    expect(fleet.status.hosts.BACKING_OFF).toBe(1);
    fleet.handle(sighted('a'));
    await clock.advance(2 * intervalMs - 1);
    expect(runs.all).toHaveLength(3);
    await clock.advance(1);
    expect(runs.all).toHaveLength(4);
    expect(sink.of('HOST_QUEUED').at(-1)?.cause).toBe('RETRIED');
  });

  it('release a host that was not sighted while it backed off', async () => {
    const fleet = newFleet();
    fleet.handle(sighted('a'));
    await end({ kind: 'DEFERRED', message: 'later', retryAfterMs: 10 * intervalMs });
    await clock.advance(10 * intervalMs);
    expect(runs.all).toHaveLength(1);
    expect(sink.of('HOST_RELEASED')).toMatchObject([{ identity: 'a', cause: 'NOT_SIGHTED' }]);
  });

  it('end backing off when the node leaves, and note its new boot', async () => {
    const fleet = newFleet();
    for (const name of ['a', 'b']) {
      fleet.handle(sighted(name));
      await end({ kind: 'DEFERRED', message: 'later', retryAfterMs: intervalMs });
    }
    fleet.handle(gone('a'));
    fleet.handle(sighted('b', 2));
    expect(fleet.status.hosts.BACKING_OFF).toBe(1);
    await clock.advance(intervalMs);
    expect(runs.all).toHaveLength(3);
    expect(runs.last.task.node).toMatchObject({ identity: 'b', bootId: boot(2) });
  });
});

describe('a stale host', () => {
  it('is skipped, not run', async () => {
    const fleet = newFleet();
    fleet.handle(sighted('a'));
    fleet.handle(sighted('b'));
    fleet.handle(sighted('c'));
    await clock.advance(2 * intervalMs + 1);
    fleet.handle(sighted('c'));
    await end(provisioned);
    expect(names()).toEqual(['a', 'c']);
    expect(sink.of('RUN_FINISHED').map(({ identity, outcome }) => [identity, outcome])).toEqual([
      ['a', 'PROVISIONED'],
      ['b', 'SKIPPED_STALE'],
    ]);
  });
});

describe('a provision loop', () => {
  it('is noticed at the third comeback within an hour, and backs off', async () => {
    const fleet = newFleet();
    fleet.handle(sighted('a'));
    for (const comeback of [1, 2]) {
      await end(provisioned);
      fleet.handle(sighted('a', 1 + comeback));
      expect(runs.all).toHaveLength(1 + comeback);
    }
    await end(provisioned);
    await clock.advance(60_000);
    fleet.handle(sighted('a', 4));
    expect(sink.of('PROVISION_LOOP')).toEqual([{ type: 'PROVISION_LOOP', identity: 'a', times: 3 }]);
    expect(fleet.status.hosts).toMatchObject({ BACKING_OFF: 1, QUEUED: 0, RUNNING: 0 });
    await clock.advance(2 * intervalMs);
    expect(runs.all).toHaveLength(4);
  });

  it('is also a node that refuses to restart because it would come back', async () => {
    const fleet = newFleet();
    for (let times = 0; times < 3; times++) {
      fleet.handle(sighted('a'));
      await end(failure('PROVISIONING_ENABLED'));
    }
    expect(sink.of('PROVISION_LOOP')).toMatchObject([{ times: 3 }]);
  });
});

describe('a new boot that another discovery service names', () => {
  it('takes over where the incumbent does not answer', async () => {
    const fleet = newFleet();
    for (const name of ['a', 'b']) fleet.handle(sighted(name));
    fleet.handle(sighted('b', 2, elsewhere));
    await settle();
    await end(provisioned);
    expect(runs.last.task.node).toMatchObject(elsewhere);
  });

  it('changes nothing and is told as a conflict where the incumbent answers', async () => {
    const fleet = newFleet();
    fleet.handle(sighted('a'));
    stillThere.push(runs.last.task.node);
    fleet.handle(sighted('a', 2, elsewhere));
    await settle();
    expect(runs.last.interruptions).toEqual([]);
    expect(sink.of('NODE_CONFLICT')).toEqual([
      {
        type: 'NODE_CONFLICT',
        identity: 'a',
        address: '192.0.2.1:7430',
        newcomerAddress: '192.0.2.2:7430',
      },
    ]);
  });

  it('is admitted where the incumbent was released in the meantime', async () => {
    const fleet = newFleet();
    for (const name of ['a', 'b']) fleet.handle(sighted(name));
    fleet.handle(sighted('b', 2, elsewhere));
    fleet.handle(gone('b'));
    await settle();
    expect(fleet.status.hosts.QUEUED).toBe(1);
  });
});

describe('a pause', () => {
  it('keeps the queue, refreshes who is known, admits nobody and starts nothing', async () => {
    const fleet = newFleet();
    for (const name of ['a', 'b']) fleet.handle(sighted(name));
    fleet.pause();
    expect(runs.last.interruptions).toEqual(['PAUSED']);
    await end({ kind: 'CANCELLED', cause: 'PAUSED' });
    fleet.handle(sighted('b', 1, { address: '192.0.2.9:1' }));
    fleet.handle(sighted('c'));
    expect(fleet.status.hosts).toEqual({ QUEUED: 2, RUNNING: 0, HELD: 0, BACKING_OFF: 0 });
    expect(runs.all).toHaveLength(1);
    fleet.resume();
    expect(names()).toEqual(['a', 'a']);
    await end(provisioned);
    expect(runs.last.task.node).toMatchObject({ identity: 'b', address: '192.0.2.9:1' });
  });
});

describe('a stop', () => {
  it('interrupts and hurries the runs, starts nothing and waits for their end', async () => {
    const fleet = newFleet({ workers: 2 });
    for (const name of ['a', 'b', 'c']) fleet.handle(sighted(name));
    const [early, late] = runs.all;
    if (late !== undefined) late.pastPointOfNoReturn = true;
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
    expect(runs.all).toHaveLength(2);
    expect(fleet.status.hosts).toEqual({ QUEUED: 1, RUNNING: 0, HELD: 1, BACKING_OFF: 0 });
  });
});

describe('the numbers', () => {
  it('say how long the first in line has waited', async () => {
    const fleet = newFleet();
    expect(fleet.status.oldestQueuedMs).toBe(0);
    for (const name of ['a', 'b', 'c']) fleet.handle(sighted(name));
    await clock.advance(5_000);
    expect(fleet.status).toEqual({
      hosts: { QUEUED: 2, RUNNING: 1, HELD: 0, BACKING_OFF: 0 },
      queued: 2,
      oldestQueuedMs: 5_000,
      busyWorkers: 1,
    });
  });
});
