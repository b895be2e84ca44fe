import { describe, expect, it } from 'vitest';
import { settle } from '../../../test/fakes/fake-clock.js';
import {
  FleetBench,
  failure,
  intervalMs,
  provisioned,
  supersededByBoot,
} from '../../../test/fakes/fleet-bench.js';
import { boot, cameUp, gone, identity, node, sighted } from '../../../test/fakes/node-events.js';
import type { HostState } from './admission.js';
import type { ProvisionWish } from './wishes.js';

const a = identity('a');
const elsewhere = { address: '198.51.100.7:7430', discovery: 'operator', epoch: '' };

function wish(over: Partial<ProvisionWish> = {}): ProvisionWish {
  return { identity: a, force: false, ...over };
}

/** A bench whose one worker is busy, so that others wait. */
function busy(over: ConstructorParameters<typeof FleetBench>[0] = {}): FleetBench {
  const bench = new FleetBench(over);
  bench.fleet.handle(sighted('busy'));
  return bench;
}

/** A bench on which node a has come into a state. */
async function inState(state: HostState): Promise<FleetBench> {
  const bench = state === 'QUEUED' ? busy() : new FleetBench();
  bench.fleet.handle(sighted('a'));
  if (state === 'HELD') await bench.end(provisioned);
  if (state === 'BACKING_OFF') {
    await bench.end({ kind: 'DEFERRED', by: 'HELPER', message: '', retryAfterMs: 3_600_000 });
  }
  expect(bench.fleet.roster.get(a)?.state).toBe(state);
  return bench;
}

function queueCauses({ sink }: FleetBench): string[] {
  return sink.of('HOST_QUEUED').flatMap((event) => (event.identity === a ? [event.cause] : []));
}

describe('a host that is to be run', () => {
  it('is admitted where it is not known and was met, and is run', () => {
    const bench = new FleetBench();
    expect(bench.fleet.wishes.provision(wish({ met: node('a', 1, elsewhere), placed: true }))).toBe('DONE');
    expect(queueCauses(bench)).toEqual(['OPERATOR']);
    expect(bench.runs.last.task).toMatchObject({ node: { address: elsewhere.address } });
    expect(bench.runs.last.task.force).toBeUndefined();
  });

  it('has to be met where it is not known, or was provisioned', async () => {
    expect(new FleetBench().fleet.wishes.provision(wish())).toBe('NOT_MET');
    const held = await inState('HELD');
    expect(held.fleet.wishes.provision(wish())).toBe('NOT_MET');
    expect(held.fleet.roster.get(a)?.state).toBe('HELD');
  });

  it('is taken out of backing off without being met', async () => {
    const bench = await inState('BACKING_OFF');
    expect(bench.fleet.wishes.provision(wish())).toBe('DONE');
    expect(queueCauses(bench)).toEqual(['ADMITTED', 'OPERATOR']);
    expect(bench.ran).toEqual(['a', 'a']);
  });

  it('is run again where it was provisioned and is in provisioning mode all the same', async () => {
    const bench = await inState('HELD');
    bench.fleet.handle(gone('a'));
    expect(bench.fleet.wishes.provision(wish({ met: node('a') }))).toBe('DONE');
    expect(bench.ran).toEqual(['a', 'a']);
    expect(bench.runs.open).toHaveLength(1);
  });

  it('keeps its turn where it waits', async () => {
    const bench = await inState('QUEUED');
    bench.fleet.handle(sighted('b'));
    expect(bench.fleet.wishes.provision(wish({ force: true }))).toBe('DONE');
    expect(queueCauses(bench)).toEqual(['ADMITTED']);
    await bench.end(provisioned);
    expect(bench.runs.last.task).toMatchObject({ node: { identity: 'a' }, force: true });
  });

  it('is left alone where a run works on it', async () => {
    const bench = await inState('RUNNING');
    expect(bench.fleet.wishes.provision(wish({ met: node('a', 2, elsewhere), placed: true }))).toBe('DONE');
    expect(bench.runs.last.interruptions).toEqual([]);
    expect(bench.runs.all).toHaveLength(1);
  });

  it('is run however long ago it was sighted', async () => {
    const bench = busy();
    bench.fleet.handle(sighted('stale'));
    bench.fleet.wishes.provision(wish({ met: node('a') }));
    await bench.clock.advance(5 * intervalMs);
    await bench.end(provisioned);
    expect(bench.ran).toEqual(['busy', 'a']);
    expect(bench.sink.of('RUN_FINISHED').map(({ outcome }) => outcome)).toContain('SKIPPED_STALE');
  });

  it('still counts its failures in a row', async () => {
    const bench = new FleetBench();
    for (let times = 0; times < 3; times++) {
      bench.fleet.handle(sighted('a'));
      await bench.end(failure());
    }
    bench.fleet.wishes.provision(wish());
    await bench.end(failure());
    expect(bench.sink.of('RUN_FINISHED').at(-1)).toMatchObject({
      nextState: 'BACKING_OFF',
      failuresInRow: 4,
    });
  });

  it('is not taken for one that comes back by itself', async () => {
    const bench = new FleetBench();
    for (let times = 1; times <= 6; times++) {
      bench.fleet.wishes.provision(wish({ met: node('a', times) }));
      await bench.end(provisioned);
    }
    expect(bench.ran).toHaveLength(6);
    expect(bench.sink.of('PROVISION_LOOP')).toEqual([]);
  });

  it('comes back for no fault of its own where an operator has put it back', async () => {
    const bench = new FleetBench();
    for (let times = 1; times <= 6; times++) {
      bench.fleet.handle(sighted('a', times));
      await bench.end(provisioned);
      bench.fleet.wishes.expectBack(a);
    }
    expect(bench.ran).toHaveLength(6);
    expect(bench.sink.of('PROVISION_LOOP')).toEqual([]);
  });
});

describe('what stands in the way of an operator', () => {
  it('is a pause, and a stop', async () => {
    const bench = await inState('BACKING_OFF');
    bench.fleet.pause();
    expect(bench.fleet.wishes.obstacle(a)).toBe('PAUSED');
    expect(bench.fleet.wishes.provision(wish())).toBe('PAUSED');
    bench.fleet.resume();
    expect(bench.fleet.wishes.obstacle(a)).toBeUndefined();
    void bench.fleet.stop(1_000);
    expect(bench.fleet.wishes.provision(wish())).toBe('STOPPING');
    expect(bench.fleet.roster.get(a)?.state).toBe('BACKING_OFF');
  });

  it('is a full queue: who is known stays as it is, and nothing counts as dropped', async () => {
    const bench = new FleetBench({ queueLimit: 1 });
    bench.fleet.handle(sighted('a'));
    await bench.end({ kind: 'DEFERRED', by: 'HELPER', message: '', retryAfterMs: 3_600_000 });
    bench.fleet.handle(sighted('busy'));
    bench.fleet.handle(sighted('b'));
    expect(bench.fleet.wishes.provision(wish())).toBe('QUEUE_FULL');
    expect(bench.fleet.roster.get(a)?.state).toBe('BACKING_OFF');
    const c = wish({ identity: identity('c'), met: node('c') });
    expect(bench.fleet.wishes.provision(c)).toBe('QUEUE_FULL');
    expect(bench.fleet.wishes.provision(wish({ identity: identity('b'), force: true }))).toBe('DONE');
    expect(bench.sink.of('HOST_DROPPED')).toEqual([]);
    expect(bench.sink.of('HOST_RELEASED')).toEqual([]);
  });
});

describe('the address of an operator', () => {
  it('counts for more than that of discovery until the run has ended', async () => {
    const bench = busy();
    bench.fleet.wishes.provision(wish({ met: node('a', 1, elsewhere), placed: true }));
    bench.fleet.handle(sighted('a'));
    await bench.end(provisioned);
    expect(bench.runs.last.task.node.address).toBe(elsewhere.address);
    await bench.end({ kind: 'CANCELLED', cause: 'PAUSED' });
    bench.fleet.handle(sighted('a'));
    expect(bench.runs.last.task.node.address).toBe(elsewhere.address);
    await bench.end({ kind: 'DEFERRED', by: 'HELPER', message: '', retryAfterMs: 60_000 });
    bench.fleet.handle(sighted('a'));
    expect(bench.fleet.roster.get(a)?.node.address).toBe(node('a').address);
  });

  it('is that of a boot: another that is sighted elsewhere is asked for first, as between discovery services', async () => {
    const bench = busy();
    const met = node('a', 1, elsewhere);
    bench.fleet.wishes.provision(wish({ met, placed: true }));
    bench.stillThere.push(met);
    bench.fleet.handle(sighted('a', 2));
    await settle();
    expect(bench.sink.of('NODE_CONFLICT')).toHaveLength(1);
    expect(bench.fleet.roster.get(a)?.node.address).toBe(elsewhere.address);
    bench.stillThere.pop();
    bench.fleet.handle(sighted('a', 2));
    await settle();
    expect(bench.fleet.roster.get(a)?.node).toEqual(node('a', 2));
    bench.fleet.handle(sighted('a', 2, { address: '192.0.2.99:7430' }));
    expect(bench.fleet.roster.get(a)?.node.address).toBe('192.0.2.99:7430');
  });

  it('makes who answers there the boot that counts, also one that was replaced', async () => {
    const bench = await inState('QUEUED');
    bench.fleet.handle(sighted('a', 2));
    bench.fleet.wishes.provision(wish({ met: node('a', 1, elsewhere), placed: true }));
    await bench.end(provisioned);
    expect(bench.runs.last.task.node).toMatchObject({ bootId: boot(1), address: elsewhere.address });
    bench.fleet.handle(sighted('a', 1));
    expect(bench.runs.last.interruptions).toEqual([]);
  });
});

describe('the wish to overtake a fence', () => {
  it('lasts until a run was made of it', async () => {
    const bench = await inState('BACKING_OFF');
    bench.fleet.wishes.provision(wish({ force: true }));
    expect(bench.runs.last.task.force).toBe(true);
    await bench.end(supersededByBoot);
    expect(bench.runs.last.task.force).toBe(true);
    await bench.end(provisioned);
    bench.fleet.handle(sighted('a', 2));
    expect(bench.runs.last.task.force).toBeUndefined();
  });
});

describe('a host that is to be forgotten', () => {
  it.each(['QUEUED', 'HELD', 'BACKING_OFF'] as const)(
    'is, from %s, and its next sighting admits it',
    async (state) => {
      const bench = await inState(state);
      expect(bench.fleet.wishes.release(a)).toEqual({ previous: state, run: undefined });
      expect(bench.fleet.roster.get(a)).toBeUndefined();
      expect(bench.sink.of('HOST_RELEASED').at(-1)).toMatchObject({ identity: 'a', cause: 'OPERATOR' });
      await bench.clock.advance(4 * 3_600_000);
      bench.fleet.handle(sighted('a'));
      expect(bench.fleet.roster.get(a)).toBeDefined();
    },
  );

  it('is not known', () => {
    expect(new FleetBench().fleet.wishes.release(a)).toBeUndefined();
  });

  it('is forgotten when its run, which is cancelled, has ended', async () => {
    const bench = await inState('RUNNING');
    const released = bench.fleet.wishes.release(a);
    expect(bench.runs.last.interruptions).toEqual(['RELEASED']);
    expect(bench.fleet.roster.get(a)?.state).toBe('RUNNING');
    await bench.end({ kind: 'CANCELLED', cause: 'RELEASED' });
    expect(released).toMatchObject({ previous: 'RUNNING', run: { runId: bench.runs.last.runId } });
    expect(await released?.run?.outcome).toBe('CANCELLED');
    expect(bench.fleet.roster.get(a)).toBeUndefined();
    expect(bench.sink.of('RUN_FINISHED').at(-1)?.nextState).toBe('RELEASED');
    expect(bench.sink.of('HOST_RELEASED').map(({ cause }) => cause)).toEqual(['OPERATOR']);
  });

  it.each([provisioned, failure(), supersededByBoot, { kind: 'CANCELLED', cause: 'PAUSED' }] as const)(
    'is forgotten however its run ends: $kind',
    async (outcome) => {
      const bench = await inState('RUNNING');
      const released = bench.fleet.wishes.release(a);
      bench.fleet.handle(sighted('a', 2));
      await bench.end(outcome);
      expect(await released?.run?.outcome).toBe(outcome.kind);
      expect(bench.fleet.roster.get(a)).toBeUndefined();
      expect(bench.fleet.status.hosts).toEqual({ QUEUED: 0, RUNNING: 0, HELD: 0, BACKING_OFF: 0 });
    },
  );

  it('is not the node that comes up meanwhile', async () => {
    const bench = await inState('RUNNING');
    bench.fleet.wishes.release(a);
    bench.fleet.handle(cameUp('a', 2, bench.runs.last.runId));
    expect(bench.runs.last.settled).toBe(true);
    await bench.end(provisioned);
    expect(bench.fleet.roster.get(a)).toBeUndefined();
  });
});
