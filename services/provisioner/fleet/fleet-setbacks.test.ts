import { describe, expect, it } from 'vitest';
import { FakeNode } from '../../../test/fakes/fake-node-agent.js';
import {
  FleetBench,
  failure,
  intervalMs,
  provisioned,
  supersededByBoot,
} from '../../../test/fakes/fleet-bench.js';
import { boot, gone, sighted } from '../../../test/fakes/node-events.js';

describe('failures', () => {
  it('are released twice and admitted again by a later sighting, then back off', async () => {
    const bench = new FleetBench();
    const { fleet } = bench;
    for (const failures of [1, 2]) {
      fleet.handle(sighted('a'));
      await bench.end(failure());
      expect(bench.sink.of('RUN_FINISHED').at(-1)).toMatchObject({
        nextState: 'RELEASED',
        failuresInRow: failures,
      });
    }
    fleet.handle(sighted('a'));
    await bench.end(failure());
    expect(fleet.status.hosts.BACKING_OFF).toBe(1);
    fleet.handle(sighted('a'));
    await bench.clock.advance(2 * intervalMs - 1);
    expect(bench.runs.all).toHaveLength(3);
    await bench.clock.advance(1);
    expect(bench.runs.all).toHaveLength(4);
    expect(bench.sink.of('HOST_QUEUED').at(-1)?.cause).toBe('RETRIED');
  });

  it('keep the inventory of a host that backs off only where it will be of use', async () => {
    const bench = new FleetBench();
    const { inventory } = new FakeNode(bench.clock);
    const inventoryAfter = async (retryAfterMs: number) => {
      bench.fleet.handle(sighted('a'));
      const fetched = {
        bootId: boot(1),
        certificateSha256: '',
        inventory: { value: inventory, fetchedAt: 0 },
      };
      await bench.end({ kind: 'DEFERRED', by: 'HELPER', message: 'later', retryAfterMs }, fetched);
      await bench.clock.advance(retryAfterMs - 1);
      bench.fleet.handle(sighted('a'));
      await bench.clock.advance(1);
      const { task } = bench.runs.last;
      await bench.end(provisioned);
      await bench.clock.advance(intervalMs);
      return task.fetched?.inventory?.value;
    };
    expect(await inventoryAfter(2 * intervalMs - 1)).toBe(inventory);
    expect(await inventoryAfter(2 * intervalMs)).toBeUndefined();
  });

  it('release a host that was not sighted while it backed off', async () => {
    const bench = new FleetBench();
    const { fleet } = bench;
    fleet.handle(sighted('a'));
    await bench.end({ kind: 'DEFERRED', by: 'HELPER', message: 'later', retryAfterMs: 10 * intervalMs });
    await bench.clock.advance(10 * intervalMs);
    expect(bench.runs.all).toHaveLength(1);
    expect(bench.sink.of('HOST_RELEASED')).toMatchObject([{ identity: 'a', cause: 'NOT_SIGHTED' }]);
  });

  it('end backing off when the node leaves, and note its new boot', async () => {
    const bench = new FleetBench();
    const { fleet } = bench;
    for (const name of ['a', 'b']) {
      fleet.handle(sighted(name));
      await bench.end({ kind: 'DEFERRED', by: 'HELPER', message: 'later', retryAfterMs: intervalMs });
    }
    fleet.handle(gone('a'));
    fleet.handle(sighted('b', 2));
    expect(fleet.status.hosts.BACKING_OFF).toBe(1);
    await bench.clock.advance(intervalMs);
    expect(bench.runs.all).toHaveLength(3);
    expect(bench.runs.last.task.node).toMatchObject({ identity: 'b', bootId: boot(2) });
  });
});

describe('a node that is about to stop, and never does,', () => {
  it('is run at its next sighting twice, and then backs off as after failures', async () => {
    const bench = new FleetBench();
    for (let times = 0; times < 3; times++) {
      bench.fleet.handle(sighted('a'));
      await bench.end({ kind: 'DEFERRED', by: 'NODE', message: 'stopping', retryAfterMs: undefined });
    }
    expect(bench.sink.of('RUN_FINISHED').map(({ nextState }) => nextState)).toEqual([
      'RELEASED',
      'RELEASED',
      'BACKING_OFF',
    ]);
    bench.fleet.handle(sighted('a'));
    expect(bench.runs.all).toHaveLength(3);
  });
});

describe('a node that boots anew in every run', () => {
  it('is run again at once twice, and then backs off as after failures', async () => {
    const bench = new FleetBench();
    bench.fleet.handle(sighted('a'));
    for (let times = 0; times < 3; times++) await bench.end(supersededByBoot);
    expect(bench.runs.all).toHaveLength(3);
    expect(bench.fleet.status.hosts.BACKING_OFF).toBe(1);
    expect(bench.sink.of('RUN_FINISHED').at(-1)).toMatchObject({
      outcome: 'SUPERSEDED',
      nextState: 'BACKING_OFF',
      failuresInRow: 3,
    });
    bench.fleet.handle(sighted('a'));
    await bench.clock.advance(2 * intervalMs);
    expect(bench.runs.all).toHaveLength(4);
  });

  it('does so also where each Identify names another boot', async () => {
    const bench = new FleetBench();
    bench.fleet.handle(sighted('a'));
    for (let times = 0; times < 3; times++) {
      bench.runs.last.bootId = boot(2 + times);
      await bench.end(supersededByBoot);
    }
    expect(bench.fleet.status.hosts.BACKING_OFF).toBe(1);
  });

  it('does so also where discovery sights each boot', async () => {
    const bench = new FleetBench();
    bench.fleet.handle(sighted('a'));
    for (let times = 0; times < 3; times++) {
      bench.fleet.handle(sighted('a', 2 + times));
      await bench.end(supersededByBoot);
    }
    expect(bench.fleet.status.hosts.BACKING_OFF).toBe(1);
  });
});

describe('a node that shows another certificate than that of its last sighting', () => {
  it('is not run again before it is sighted again, and then at once', async () => {
    const bench = new FleetBench();
    const { fleet } = bench;
    fleet.handle(sighted('a', 1, { certificateSha256: 'cc' }));
    await bench.end(supersededByBoot);
    expect(bench.runs.all).toHaveLength(1);
    expect(bench.sink.of('RUN_FINISHED')).toMatchObject([{ nextState: 'RELEASED', failuresInRow: 1 }]);
    fleet.handle(sighted('a', 2, { certificateSha256: 'dd' }));
    expect(bench.runs.last.task.node).toMatchObject({ bootId: boot(2), certificateSha256: 'dd' });
  });

  it('is queued again where its new boot was sighted meanwhile', async () => {
    const bench = new FleetBench();
    const { fleet } = bench;
    fleet.handle(sighted('a', 1, { certificateSha256: 'cc' }));
    fleet.handle(sighted('a', 2, { certificateSha256: 'dd' }));
    await bench.end(supersededByBoot);
    expect(bench.runs.last.task.node).toMatchObject({ bootId: boot(2), certificateSha256: 'dd' });
  });
});

describe('a stale host', () => {
  it('is skipped, not run', async () => {
    const bench = new FleetBench();
    const { fleet } = bench;
    fleet.handle(sighted('a'));
    fleet.handle(sighted('b'));
    fleet.handle(sighted('c'));
    await bench.clock.advance(2 * intervalMs + 1);
    fleet.handle(sighted('c'));
    await bench.end(provisioned);
    expect(bench.ran).toEqual(['a', 'c']);
    expect(bench.sink.of('RUN_FINISHED').map(({ identity, outcome }) => [identity, outcome])).toEqual([
      ['a', 'PROVISIONED'],
      ['b', 'SKIPPED_STALE'],
    ]);
  });
});

describe('a provision loop', () => {
  it('is noticed at the third comeback within an hour, and backs off', async () => {
    const bench = new FleetBench();
    const { fleet } = bench;
    fleet.handle(sighted('a'));
    for (const comeback of [1, 2]) {
      await bench.end(provisioned);
      fleet.handle(sighted('a', 1 + comeback));
      expect(bench.runs.all).toHaveLength(1 + comeback);
    }
    await bench.end(provisioned);
    await bench.clock.advance(60_000);
    fleet.handle(sighted('a', 4));
    expect(bench.sink.of('PROVISION_LOOP')).toEqual([
      {
        type: 'PROVISION_LOOP',
        identity: 'a',
        times: 3,
        withinMs: 3_600_000,
        backoffMs: expect.closeTo(2 * intervalMs, -5),
      },
    ]);
    expect(fleet.status.hosts).toMatchObject({ BACKING_OFF: 1, QUEUED: 0, RUNNING: 0 });
    await bench.clock.advance(2 * intervalMs);
    expect(bench.runs.all).toHaveLength(4);
  });

  it('is also a node that refuses to restart because it would come back', async () => {
    const bench = new FleetBench();
    const { fleet } = bench;
    for (let times = 0; times < 3; times++) {
      fleet.handle(sighted('a'));
      await bench.end(failure('PROVISIONING_ENABLED'));
    }
    expect(bench.sink.of('PROVISION_LOOP')).toMatchObject([{ times: 3 }]);
  });
});
