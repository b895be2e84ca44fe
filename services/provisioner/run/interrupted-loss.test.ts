import { describe, expect, it } from 'vitest';
import { dropped, type Fault, refused, status, tooLate } from '../../../test/fakes/fake-node-agent.js';
import { RunBench, upgradeBench } from '../../../test/fakes/run-bench.js';
import type { Interruption } from './outcome.js';

const done: Fault = { kind: 'LOSE_REPLY', failure: dropped };
const undone: Fault = { kind: 'FAIL', failure: dropped };
const unanswered: Fault = { kind: 'FAIL', failure: refused };
const hang: Fault = { kind: 'HANG' };
const always = (fault: Fault): Fault[] => Array.from({ length: 20 }, () => fault);

const graceMs = 20_000;

function shutdownBench(shutdown: Fault, asked: readonly Fault[] = [], runTimeoutMs = 600_000): RunBench {
  const bench = new RunBench({ runTimeoutMs });
  bench.helper.replies({ shutdown: true, msg: 'retired' });
  bench.node.fault('shutdown', shutdown);
  bench.node.fault('getRunStatus', ...asked);
  return bench;
}

const causes = ['PAUSED', 'RELEASED', 'STOPPING'] satisfies Interruption[];

describe('a run that is interrupted while the reply to Shutdown is lost', () => {
  it.each([...causes, 'SUPERSEDED'] satisfies Interruption[])(
    'by %s, asks once, and ends SHUT_DOWN where it was accepted',
    async (cause) => {
      const bench = shutdownBench(done);
      const { outcome, durationMs } = await bench.runAnd('shutdown', (run) => run.interrupt(cause));
      expect(outcome).toEqual({ kind: 'SHUT_DOWN', message: 'retired' });
      expect(bench.node.count('getRunStatus')).toBe(1);
      expect(durationMs).toBe(0);
    },
  );

  it.each(causes)('by %s, asks once, and does not send it again where it was not', async (cause) => {
    const bench = shutdownBench(undone);
    const { outcome } = await bench.runAnd('shutdown', (run) => run.interrupt(cause));
    expect(outcome).toEqual({ kind: 'CANCELLED', cause });
    expect(bench.node.count('shutdown')).toBe(1);
    expect(bench.node.count('getRunStatus')).toBe(1);
    expect(bench.sink.of('STEP_FAILED')).toMatchObject([{ step: 'SHUTDOWN', willRetry: false }]);
  });

  it('by a pause, is not failed by a status that would have been final', async () => {
    const failure = status('PERMISSION_DENIED', { message: 'by a proxy' });
    const bench = shutdownBench({ kind: 'FAIL', failure });
    const { outcome } = await bench.runAnd('shutdown', (run) => run.interrupt('PAUSED'));
    expect(outcome).toEqual({ kind: 'CANCELLED', cause: 'PAUSED' });
  });

  it('by the run timeout, likewise', async () => {
    const accepted = shutdownBench({ kind: 'HANG', done: true }, [], 5_000);
    expect((await accepted.run()).outcome.kind).toBe('SHUT_DOWN');
    const lost = shutdownBench(hang, [], 5_000);
    const { outcome, durationMs } = await lost.run();
    expect(outcome).toMatchObject({ kind: 'FAILED', reason: 'RUN_TIMEOUT' });
    expect(durationMs).toBe(10_000);
  });

  it('between two tries, asks at once', async () => {
    const bench = shutdownBench(done);
    const run = bench.start();
    await bench.clock.advance(100);
    run.interrupt('PAUSED');
    expect(await bench.finish(run)).toMatchObject({ outcome: { kind: 'SHUT_DOWN' }, durationMs: 100 });
  });

  it('while it asks, has its answer', async () => {
    const bench = shutdownBench(done);
    const { outcome } = await bench.runAnd('getRunStatus', (run) => run.interrupt('PAUSED'));
    expect(outcome.kind).toBe('SHUT_DOWN');
    expect(bench.node.count('getRunStatus')).toBe(1);
  });

  it('asks no more than once where nobody answers, and ends SHUT_DOWN within a call', async () => {
    for (const fault of [unanswered, hang, undone]) {
      const bench = shutdownBench(done, always(fault));
      const { outcome, durationMs } = await bench.runAnd('shutdown', (run) => run.interrupt('PAUSED'));
      expect(outcome.kind).toBe('SHUT_DOWN');
      expect(bench.node.count('getRunStatus')).toBe(1);
      expect(durationMs).toBeLessThanOrEqual(10_000);
    }
  });

  it('by another boot, is SUPERSEDED where that boot answers, or nobody does', async () => {
    const rebooted = shutdownBench(done);
    const { outcome } = await rebooted.runAnd('shutdown', (run) => {
      run.interrupt('SUPERSEDED');
      rebooted.node.onCall = ({ rpc }) => {
        if (rpc === 'getRunStatus') rebooted.node.reboot();
      };
    });
    expect(outcome).toMatchObject({ kind: 'SUPERSEDED', by: 'BOOT' });

    const gone = shutdownBench(done, always(unanswered));
    const second = await gone.runAnd('shutdown', (run) => run.interrupt('SUPERSEDED'));
    expect(second.outcome).toMatchObject({ kind: 'SUPERSEDED', by: 'BOOT' });
  });

  it('learns where another provisioner has taken the node over', async () => {
    const stale: Fault = { kind: 'FAIL', failure: status('ABORTED', { reason: 'STALE_FENCE' }) };
    const bench = shutdownBench(done, [stale]);
    const { outcome } = await bench.runAnd('shutdown', (run) => run.interrupt('PAUSED'));
    expect(outcome).toMatchObject({ kind: 'SUPERSEDED', by: 'FENCE' });
  });

  it('asks nothing where the call was certainly not sent', async () => {
    const bench = shutdownBench(unanswered);
    const { outcome } = await bench.runAnd('shutdown', (run) => run.interrupt('PAUSED'));
    expect(outcome.kind).toBe('CANCELLED');
    expect(bench.node.count('getRunStatus')).toBe(0);
  });
});

describe('a service that stops while a node is shut down', () => {
  const stopping = async (bench: RunBench, ms: number) => {
    const run = bench.start();
    await bench.clock.advance(1_000);
    const at = bench.clock.monotonic();
    run.interrupt('STOPPING');
    run.hurry(ms);
    const { outcome } = await bench.finish(run);
    return { outcome, tookMs: bench.clock.monotonic() - at };
  };

  it('waits for its answer no longer than its grace, and asks', async () => {
    const bench = shutdownBench({ kind: 'HANG', done: true });
    const { outcome, tookMs } = await stopping(bench, 4_000);
    expect(outcome.kind).toBe('SHUT_DOWN');
    expect(bench.node.count('getRunStatus')).toBe(1);
    expect(tookMs).toBeLessThan(4_000);
  });

  it('is CANCELLED within its grace where the call did nothing', async () => {
    const bench = shutdownBench(hang);
    const { outcome, tookMs } = await stopping(bench, 4_000);
    expect(outcome).toEqual({ kind: 'CANCELLED', cause: 'STOPPING' });
    expect(tookMs).toBeLessThan(4_000);
  });

  it('counts a node that does not answer in that time as not answering', async () => {
    for (const ms of [0, 100, 4_000, graceMs]) {
      const bench = shutdownBench(hang, always({ kind: 'FAIL', failure: tooLate }));
      const { outcome, tookMs } = await stopping(bench, ms);
      expect(outcome.kind).toBe('SHUT_DOWN');
      expect(tookMs).toBeLessThanOrEqual(Math.max(ms, 100));
    }
  });
});

function faultyUpgrade(update: Fault, asked: readonly Fault[] = []): RunBench {
  const bench = upgradeBench();
  bench.node.fault('updateRelease', update);
  bench.node.fault('getRunStatus', ...asked);
  return bench;
}

const upgraded = { kind: 'UPGRADED', from: '1.0.0', to: '2.0.0' };

describe('a run that is interrupted while the reply to UpdateRelease is lost', () => {
  it.each([...causes, 'SUPERSEDED'] satisfies Interruption[])(
    'by %s, asks once, and ends UPGRADED where it was accepted',
    async (cause) => {
      const bench = faultyUpgrade(done);
      const { outcome } = await bench.runAnd('updateRelease', (run) => run.interrupt(cause));
      expect(outcome).toEqual(upgraded);
      expect(bench.node.count('getRunStatus')).toBe(1);
    },
  );

  it('ends UPGRADED where the node is still at it: it has accepted', async () => {
    const bench = faultyUpgrade(undone);
    const { outcome } = await bench.runAnd('updateRelease', (run) => {
      bench.node.records.set(run.runId, { stage: 'UPGRADING', configurationDigest: '' });
      run.interrupt('PAUSED');
    });
    expect(outcome).toEqual(upgraded);
    expect(bench.node.count('updateRelease')).toBe(1);
  });

  it.each(causes)('by %s, is not asked again where it was not accepted', async (cause) => {
    const bench = faultyUpgrade(undone);
    const { outcome } = await bench.runAnd('updateRelease', (run) => run.interrupt(cause));
    expect(outcome).toEqual({ kind: 'CANCELLED', cause });
    expect(bench.node.count('updateRelease')).toBe(1);
    expect(bench.node.count('configure')).toBe(0);
  });

  it('by another boot, or with nobody there any more, ends UPGRADED: it has restarted', async () => {
    for (const [cause, expected] of [
      ['SUPERSEDED', upgraded],
      ['PAUSED', { ...upgraded, unsettled: true }],
    ] as const) {
      const bench = faultyUpgrade(done, always(unanswered));
      const { outcome } = await bench.runAnd('updateRelease', (run) => run.interrupt(cause));
      expect(outcome).toEqual(expected);
      expect(bench.node.count('getRunStatus')).toBe(1);
    }
  });

  it('by a service that stops, waits no longer than its grace', async () => {
    const bench = faultyUpgrade({ kind: 'HANG', done: true });
    const run = bench.start();
    await bench.clock.advance(1_000);
    const at = bench.clock.monotonic();
    run.interrupt('STOPPING');
    run.hurry(graceMs);
    expect((await bench.finish(run)).outcome).toEqual(upgraded);
    expect(bench.clock.monotonic() - at).toBeLessThan(graceMs);
  });
});

describe('a node that is still at it when it is asked', () => {
  it('is joined by another try, and not forgotten where that does not reach it', async () => {
    const bench = faultyUpgrade(undone);
    bench.node.fault('updateRelease', unanswered);
    const { outcome } = await bench.runAnd('updateRelease', (run) => {
      bench.node.records.set(run.runId, { stage: 'UPGRADING', configurationDigest: '' });
      bench.node.fault('getRunStatus', { kind: 'NONE' }, ...always(unanswered));
    });
    expect(outcome).toEqual({ ...upgraded, unsettled: true });
  });
});
