import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../../test/fakes/fake-clock.js';
import { status } from '../../../test/fakes/fake-node-agent.js';
import { RunBench } from '../../../test/fakes/run-bench.js';
import { Fences, greatestFence } from './fences.js';

const dayMs = 24 * 3_600_000;

function benchWithFence(ahead: number | bigint, idleSeconds: string) {
  const bench = new RunBench();
  const value = typeof ahead === 'bigint' ? ahead : BigInt(bench.clock.now() + ahead);
  bench.node.fence = { value, runId: undefined, idleSeconds };
  return { bench, value };
}

describe('fences', () => {
  it('are the clock, or one more than the last where the clock stands or goes back', async () => {
    const clock = new FakeClock(1_000);
    const fences = new Fences(clock);
    expect([fences.next(), fences.next()]).toEqual([1_000n, 1_001n]);
    clock.jumpWall(-500);
    expect(fences.next()).toBe(1_002n);
    clock.jumpWall(10_000);
    expect(fences.next()).toBe(10_500n);
  });
});

describe('a node that has seen a higher fence', () => {
  it('is taken over where it has been idle for 30 s', async () => {
    const { bench, value } = benchWithFence(5_000, '30');
    expect((await bench.run()).outcome.kind).toBe('PROVISIONED');
    expect(bench.node.calls.map((call) => call.caller?.fence)).toEqual([
      undefined,
      BigInt(bench.clock.now()),
      value + 1n,
      value + 1n,
      value + 1n,
    ]);
  });

  it('is left to the provisioner that runs it', async () => {
    const { bench } = benchWithFence(5_000, '29.9');
    expect((await bench.run()).outcome).toMatchObject({ kind: 'SUPERSEDED', by: 'FENCE' });
    expect(bench.node.count('getInventory')).toBe(1);
  });

  it('is left alone where it does not say for how long it has been idle, or not the fence', async () => {
    for (const idle of ['', 'long', '-1', '1e9']) {
      const { bench } = benchWithFence(5_000, idle);
      expect((await bench.run()).outcome).toMatchObject({ kind: 'SUPERSEDED', by: 'FENCE' });
    }
  });

  it('is taken over once only', async () => {
    const { bench, value } = benchWithFence(5_000, '60');
    let calls = 0;
    bench.node.onCall = ({ rpc }) => {
      if (rpc !== 'getInventory') return;
      calls += 1;
      if (calls === 2) bench.node.fence = { value: value + 10n, runId: undefined, idleSeconds: '60' };
    };
    expect((await bench.run()).outcome).toMatchObject({ kind: 'SUPERSEDED', by: 'FENCE' });
    expect(calls).toBe(2);
  });

  it('is not taken over later in the run', async () => {
    const bench = new RunBench();
    const { outcome, fetched } = await bench.runAnd('configure', () => {
      bench.node.fence = { value: BigInt(bench.clock.now() + 1), runId: undefined, idleSeconds: '60' };
    });
    expect(outcome).toMatchObject({ kind: 'SUPERSEDED', by: 'FENCE' });
    expect(fetched).toBeUndefined();
  });

  it('is not taken over by a run that starts over: its fence was taken before', async () => {
    const bench = new RunBench();
    const failure = status('FAILED_PRECONDITION', { reason: 'KEY_CHANGED' });
    bench.node.fault('configure', { kind: 'FAIL', failure });
    const inventory = { value: bench.node.inventory, fetchedAt: bench.clock.monotonic() };
    const { outcome } = await bench.runAnd(
      'getInventory',
      () => {
        bench.node.fence = { value: BigInt(bench.clock.now() + 1), runId: undefined, idleSeconds: '60' };
      },
      { fetched: { bootId: bench.node.bootId, certificateSha256: '', inventory } },
    );
    expect(outcome).toMatchObject({ kind: 'SUPERSEDED', by: 'FENCE' });
  });

  it('fails where the fence is more than a day ahead of the clock', async () => {
    const { bench } = benchWithFence(dayMs + 1, '60');
    expect((await bench.run()).outcome).toMatchObject({ kind: 'FAILED', reason: 'FENCE_AHEAD' });
  });

  it('does not fail where it is a day ahead and no more', async () => {
    const { bench } = benchWithFence(dayMs, '60');
    expect((await bench.run()).outcome.kind).toBe('PROVISIONED');
  });

  it('is taken over by force, however far ahead the fence is', async () => {
    const { bench } = benchWithFence(400 * dayMs, '0');
    expect((await bench.run({ force: true })).outcome.kind).toBe('PROVISIONED');
  });

  it('has no fence above the greatest there is', async () => {
    const { bench } = benchWithFence(greatestFence, '60');
    expect((await bench.run({ force: true })).outcome).toMatchObject({ reason: 'FENCE_AHEAD' });
  });

  it('does not drag the fences of other nodes along', async () => {
    const { bench } = benchWithFence(dayMs, '60');
    await bench.run();
    bench.node.reboot({ configured: false });
    bench.node.fence = undefined;
    await bench.run();
    expect(bench.node.calls.at(-1)?.caller?.fence).toBeLessThan(BigInt(bench.clock.now() + 1_000));
  });
});
