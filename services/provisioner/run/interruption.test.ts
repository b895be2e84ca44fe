import { describe, expect, it } from 'vitest';
import { helperReply } from '../../../test/fakes/fake-helper.js';
import { dropped, refused, tooLate } from '../../../test/fakes/fake-node-agent.js';
import { RunBench } from '../../../test/fakes/run-bench.js';
import type { Interruption } from './outcome.js';

const fail = { kind: 'FAIL', failure: dropped } as const;
const hang = { kind: 'HANG' } as const;

describe('an interruption', () => {
  it('before the first call ends the run without one', async () => {
    const bench = new RunBench();
    const run = bench.start();
    run.interrupt('PAUSED');
    expect((await bench.finish(run)).outcome).toEqual({ kind: 'CANCELLED', cause: 'PAUSED' });
    expect(bench.node.calls).toEqual([]);
  });

  it.each(['PAUSED', 'RELEASED', 'STOPPING'] satisfies Interruption[])(
    'is CANCELLED by %s',
    async (cause) => {
      const bench = new RunBench();
      const { outcome } = await bench.runAnd('getInventory', (run) => run.interrupt(cause));
      expect(outcome).toEqual({ kind: 'CANCELLED', cause });
    },
  );

  it('by another boot is SUPERSEDED', async () => {
    const bench = new RunBench();
    const { outcome } = await bench.runAnd('getInventory', (run) => run.interrupt('SUPERSEDED'));
    expect(outcome).toMatchObject({ kind: 'SUPERSEDED', by: 'BOOT' });
  });

  it.each(['identify', 'getInventory'] as const)('cuts off %s, which has no effects', async (rpc) => {
    const bench = new RunBench();
    bench.node.fault(rpc, hang);
    const run = bench.start();
    await bench.clock.advance(500);
    run.interrupt('STOPPING');
    const { outcome, durationMs } = await bench.finish(run);
    expect(outcome).toEqual({ kind: 'CANCELLED', cause: 'STOPPING' });
    expect(durationMs).toBe(500);
    expect(bench.sink.of('STEP_FAILED')).toEqual([]);
  });

  it('cuts a pause between tries short', async () => {
    const bench = new RunBench();
    bench.node.fault('getInventory', fail);
    const run = bench.start();
    await bench.clock.advance(200);
    run.interrupt('PAUSED');
    expect((await bench.finish(run)).durationMs).toBe(200);
    expect(bench.node.count('getInventory')).toBe(1);
  });

  it('stops the helper', async () => {
    const bench = new RunBench();
    bench.helper.answer = (signal) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    const run = bench.start();
    await bench.clock.advance(1_000);
    run.interrupt('PAUSED');
    expect((await bench.finish(run)).outcome).toEqual({ kind: 'CANCELLED', cause: 'PAUSED' });
  });

  it('while the helper answers keeps the node from being configured', async () => {
    const bench = new RunBench();
    const run = bench.start();
    bench.helper.answer = async () => {
      run.interrupt('PAUSED');
      return helperReply();
    };
    expect((await bench.finish(run)).outcome).toEqual({ kind: 'CANCELLED', cause: 'PAUSED' });
    expect(bench.node.count('configure')).toBe(0);
  });

  it('lets Shutdown, which has effects, have its answer, and stops at its next try', async () => {
    const bench = new RunBench();
    bench.helper.replies({ shutdown: true, msg: 'retired' });
    const { outcome } = await bench.runAnd('shutdown', (run) => run.interrupt('PAUSED'));
    expect(outcome.kind).toBe('SHUT_DOWN');

    const other = new RunBench();
    other.helper.replies({ shutdown: true, msg: 'retired' });
    other.node.fault('shutdown', { kind: 'FAIL', failure: refused });
    const second = await other.runAnd('shutdown', (run) => run.interrupt('PAUSED'));
    expect(second).toMatchObject({ outcome: { kind: 'CANCELLED', cause: 'PAUSED' }, durationMs: 0 });
    expect(other.node.count('shutdown')).toBe(1);
  });

  it.each(['configure', 'restart', 'getRunStatus'] as const)(
    'is ignored at %s: the node is configured and restarted',
    async (rpc) => {
      const bench = new RunBench();
      bench.node.fault('configure', fail);
      bench.node.fault('restart', fail);
      const { outcome } = await bench.runAnd(rpc, (run) => {
        for (const cause of ['PAUSED', 'SUPERSEDED', 'RELEASED', 'STOPPING'] as const) run.interrupt(cause);
      });
      expect(outcome).toEqual({ kind: 'PROVISIONED', unsettled: false });
      expect(bench.node.restarts).toBe(1);
    },
  );

  it('that is ignored does not hurry the tries', async () => {
    const bench = new RunBench();
    bench.node.fault('configure', fail, fail);
    const run = bench.start();
    await bench.clock.advance(100);
    run.interrupt('PAUSED');
    expect((await bench.finish(run)).durationMs).toBe(1_500);
  });
});

describe('run_timeout', () => {
  it('ends a run that takes too long', async () => {
    const bench = new RunBench({ runTimeoutMs: 15_000 });
    bench.node.fault('getInventory', hang, hang, hang);
    const { outcome, durationMs } = await bench.run();
    expect(outcome).toEqual({
      kind: 'FAILED',
      reason: 'RUN_TIMEOUT',
      message: 'the run took longer than 15s',
    });
    expect(durationMs).toBe(15_000);
  });

  it('does not count the wait for a helper slot', async () => {
    const bench = new RunBench({ runTimeoutMs: 15_000 });
    bench.helper.answer = async (_signal, options) => {
      await new Promise<void>((resolve) => bench.clock.setTimer(300_000, resolve));
      options.onStart?.();
      await new Promise<void>((resolve) => bench.clock.setTimer(10_000, resolve));
      return helperReply();
    };
    expect((await bench.run()).outcome.kind).toBe('PROVISIONED');
  });

  it('counts the helper itself', async () => {
    const bench = new RunBench({ runTimeoutMs: 5_000 });
    bench.helper.answer = (signal, options) => {
      options.onStart?.();
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    };
    expect((await bench.run()).outcome).toMatchObject({ kind: 'FAILED', reason: 'RUN_TIMEOUT' });
  });

  it('does not cut a run past its point of no return', async () => {
    const bench = new RunBench({ runTimeoutMs: 15_000 });
    bench.node.fault('configure', hang, hang, hang);
    const { outcome, durationMs } = await bench.run();
    expect(outcome).toEqual({ kind: 'PROVISIONED', unsettled: false });
    expect(durationMs).toBeGreaterThan(30_000);
  });
});

describe('the node’s own news', () => {
  it('ends a run that waits for Restart', async () => {
    const bench = new RunBench();
    bench.node.fault('restart', { kind: 'HANG', done: true });
    const run = bench.start();
    await bench.clock.advance(3_000);
    run.settle();
    const { outcome, durationMs } = await bench.finish(run);
    expect(outcome).toEqual({ kind: 'PROVISIONED', unsettled: false });
    expect(durationMs).toBe(3_000);
  });

  it('ends a run between tries of Restart', async () => {
    const bench = new RunBench();
    bench.node.fault('restart', fail);
    bench.node.fault('getRunStatus', hang);
    const run = bench.start();
    await bench.clock.advance(2_000);
    run.settle();
    expect((await bench.finish(run)).outcome).toEqual({ kind: 'PROVISIONED', unsettled: false });
  });

  it('ends a run that waits for Configure: the node rebooted with it', async () => {
    const bench = new RunBench();
    bench.node.fault('configure', { kind: 'HANG', done: true });
    const run = bench.start();
    await bench.clock.advance(3_000);
    run.settle();
    expect((await bench.finish(run)).outcome).toEqual({ kind: 'PROVISIONED', unsettled: false });
  });

  it('says nothing before Configure', async () => {
    const bench = new RunBench();
    const { outcome } = await bench.runAnd('getInventory', (run) => run.settle());
    expect(outcome.kind).toBe('PROVISIONED');
    expect(bench.node.restarts).toBe(1);
  });
});

describe('a service that stops', () => {
  const graceMs = 20_000;

  it('has Restart attempted within its grace though Configure hangs', async () => {
    const bench = new RunBench();
    bench.node.fault('configure', { kind: 'HANG', done: true });
    bench.node.fault('getRunStatus', hang);
    const run = bench.start();
    await bench.clock.advance(1_000);
    const at = bench.clock.monotonic();
    run.hurry(graceMs);
    run.interrupt('STOPPING');
    expect((await bench.finish(run)).outcome.kind).toBe('PROVISIONED');
    expect(bench.node.restarts).toBe(1);
    expect(bench.clock.monotonic() - at).toBeLessThan(graceMs);
  });

  it('counts a node that does not answer in that time as not answering', async () => {
    for (const rpc of ['configure', 'restart'] as const) {
      const bench = new RunBench();
      bench.node.fault(rpc, ...Array.from({ length: 9 }, () => hang));
      bench.node.fault('getRunStatus', ...Array.from({ length: 9 }, () => hang));
      const run = bench.start();
      await bench.clock.advance(1_000);
      const at = bench.clock.monotonic();
      run.hurry(graceMs);
      const { outcome } = await bench.finish(run);
      expect(outcome).toMatchObject(
        rpc === 'configure'
          ? { kind: 'FAILED', reason: 'RPC_FAILED' }
          : { kind: 'PROVISIONED', unsettled: true },
      );
      expect(bench.clock.monotonic() - at).toBeLessThan(graceMs);
    }
  });

  it('tries again at once instead of waiting out a pause', async () => {
    const bench = new RunBench();
    const down = { kind: 'FAIL', failure: refused } as const;
    bench.node.fault('restart', down, down);
    const run = bench.start();
    await bench.clock.advance(700);
    run.hurry(graceMs);
    expect((await bench.finish(run)).outcome.kind).toBe('PROVISIONED');
    expect(bench.node.restarts).toBe(1);
    expect(bench.clock.monotonic()).toBeLessThan(1_000);
  });

  it('attempts Restart even where there is no time', async () => {
    const bench = new RunBench();
    const { outcome } = await bench.runAnd('configure', (run) => run.hurry(0));
    expect(outcome.kind).toBe('PROVISIONED');
    expect(bench.node.restarts).toBe(1);
  });

  it('does not hurry a run that has time', async () => {
    const bench = new RunBench();
    bench.node.fault('configure', { kind: 'FAIL', failure: tooLate });
    const { outcome } = await bench.runAnd('configure', (run) => run.hurry(3_600_000));
    expect(outcome.kind).toBe('PROVISIONED');
  });
});
