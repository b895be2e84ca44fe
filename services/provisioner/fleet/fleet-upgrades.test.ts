import { describe, expect, it } from 'vitest';
import { FleetBench, intervalMs, provisioned } from '../../../test/fakes/fleet-bench.js';
import { boot, gone, node, sighted } from '../../../test/fakes/node-events.js';
import type { Outcome, UpgradeFailureReason } from '../run/outcome.js';

function upgraded(from = '1.0', to = '2.0'): Outcome {
  return { kind: 'UPGRADED', from, to };
}

function upgradeFailed(reason: UpgradeFailureReason = 'UPGRADE_RPC_FAILED'): Outcome {
  return { kind: 'UPGRADE_FAILED', reason, message: 'no such release' };
}

async function upgradedBench(): Promise<FleetBench> {
  const bench = new FleetBench();
  bench.fleet.handle(sighted('a'));
  await bench.end(upgraded());
  return bench;
}

describe('a node that was upgraded', () => {
  it('is released, told with both versions, and run with its next boot', async () => {
    const bench = await upgradedBench();
    expect(bench.sink.of('RUN_FINISHED')).toMatchObject([
      {
        outcome: 'UPGRADED',
        reason: '',
        message: 'from 1.0 to 2.0',
        nextState: 'RELEASED',
        failuresInRow: 0,
      },
    ]);
    bench.fleet.handle({ type: 'UPGRADED', node: node('a', 2) });
    expect(bench.runs.last.task.node.bootId).toBe(boot(2));
    await bench.end(provisioned);
    expect(bench.fleet.status.hosts.HELD).toBe(1);
  });

  it('is told apart where nobody could say what became of the upgrade', async () => {
    const bench = new FleetBench();
    bench.fleet.handle(sighted('a'));
    await bench.end({ kind: 'UPGRADED', from: '1.0', to: '2.0', unsettled: true });
    expect(bench.sink.of('RUN_FINISHED')[0]?.message).toBe(
      'from 1.0 to 2.0; the upgrade is not settled: only the next run will tell',
    );
  });

  it('is not run in the boot that it left, for a minute', async () => {
    const bench = await upgradedBench();
    bench.fleet.handle(sighted('a'));
    bench.fleet.handle({ type: 'STARTUP', node: node('a') });
    await bench.clock.advance(59_999);
    bench.fleet.handle(sighted('a'));
    expect(bench.runs.all).toHaveLength(1);
    await bench.clock.advance(1);
    bench.fleet.handle(sighted('a'));
    expect(bench.runs.all).toHaveLength(2);
  });

  it('is not disturbed in its next boot by late news of the one that it left', async () => {
    const bench = await upgradedBench();
    bench.fleet.handle(sighted('a', 2));
    bench.fleet.handle(sighted('a'));
    bench.fleet.handle(sighted('a', 1, { discovery: 'discovery-2:7412' }));
    bench.fleet.handle(gone('a'));
    expect(bench.runs.last.interruptions).toEqual([]);
    await bench.end(provisioned);
    bench.fleet.handle(sighted('a'));
    expect(bench.fleet.status.hosts.HELD).toBe(1);
  });

  it('leaves others alone that say the same boot', async () => {
    const bench = await upgradedBench();
    bench.fleet.handle(sighted('b'));
    expect(bench.runs.all).toHaveLength(2);
  });

  it('whose next boot was sighted before the run had ended is admitted at once', async () => {
    const bench = new FleetBench();
    bench.fleet.handle(sighted('a'));
    bench.fleet.handle(sighted('a', 2));
    await bench.end(upgraded());
    expect(bench.sink.of('HOST_QUEUED').map(({ cause }) => cause)).toEqual(['ADMITTED', 'ADMITTED']);
    expect(bench.sink.of('HOST_RELEASED')).toHaveLength(1);
    expect(bench.runs.last.task).toMatchObject({ node: { bootId: boot(2) }, fetched: undefined });
  });

  it('and was sighted so while nobody is admitted, is not', async () => {
    const bench = new FleetBench();
    bench.fleet.handle(sighted('a'));
    bench.fleet.handle(sighted('a', 2));
    bench.fleet.pause();
    await bench.end(upgraded());
    expect(bench.fleet.status.hosts.QUEUED).toBe(0);
  });

  it('and has left again meanwhile is released', async () => {
    const bench = new FleetBench();
    bench.fleet.handle(sighted('a'));
    bench.fleet.handle(sighted('a', 2));
    bench.fleet.handle(gone('a', 2));
    await bench.end(upgraded());
    expect(bench.sink.of('RUN_FINISHED').at(-1)?.nextState).toBe('RELEASED');
    expect(bench.runs.all).toHaveLength(1);
  });

  it('ends a row of failures', async () => {
    const bench = new FleetBench();
    bench.fleet.handle(sighted('a'));
    await bench.end(upgradeFailed());
    bench.fleet.handle(sighted('a', 2));
    await bench.end(upgraded());
    bench.fleet.handle(sighted('a', 3));
    await bench.end(upgradeFailed());
    expect(bench.sink.of('RUN_FINISHED').at(-1)).toMatchObject({ nextState: 'HELD', failuresInRow: 1 });
  });

  it('brings the versions of its upgrades to the next run, until it is provisioned', async () => {
    const bench = new FleetBench();
    const told: unknown[] = [];
    for (const [index, outcome] of [upgraded('1.0'), upgraded('1.1'), provisioned, upgraded()].entries()) {
      bench.fleet.handle(sighted('a', index + 1));
      told.push(bench.runs.last.task.upgradedFrom);
      await bench.end(outcome);
    }
    expect(told).toEqual([[], ['1.0'], ['1.0', '1.1'], []]);
  });
});

describe('a node whose upgrade failed', () => {
  it('is held for a minute, told with the reason, and then as after failures', async () => {
    const bench = new FleetBench();
    bench.fleet.handle(sighted('a'));
    await bench.end(upgradeFailed());
    bench.fleet.handle(sighted('a'));
    expect(bench.runs.all).toHaveLength(1);
    await bench.clock.advance(60_000);
    for (let times = 0; times < 2; times++) {
      bench.fleet.handle(sighted('a'));
      await bench.end(upgradeFailed('UPGRADE_LOOP'));
    }
    expect(bench.sink.of('RUN_FINISHED')).toMatchObject([
      { reason: 'UPGRADE_RPC_FAILED', message: 'no such release', nextState: 'HELD', nextStateMs: 60_000 },
      { reason: 'UPGRADE_LOOP', nextState: 'RELEASED' },
      { reason: 'UPGRADE_LOOP', nextState: 'BACKING_OFF', nextStateMs: 2 * intervalMs },
    ]);
  });

  it('is run again at once when it boots anew', async () => {
    const bench = new FleetBench();
    bench.fleet.handle(sighted('a'));
    await bench.end(upgradeFailed());
    bench.fleet.handle(sighted('a', 2));
    expect(bench.runs.all).toHaveLength(2);
  });
});
