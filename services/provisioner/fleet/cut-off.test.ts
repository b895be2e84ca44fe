import { describe, expect, it } from 'vitest';
import { newRunId } from '../../../shared/identity.js';
import { FakeClock } from '../../../test/fakes/fake-clock.js';
import { FleetBench, failure, intervalMs, provisioned } from '../../../test/fakes/fleet-bench.js';
import { boot, cameUp, identity, sighted } from '../../../test/fakes/node-events.js';
import { Counters } from './counters.js';

const a = identity('a');
const restartUnsettled = { kind: 'PROVISIONED', unsettled: true } as const;

async function cutOff(bench: FleetBench, bootNumber = 1) {
  bench.fleet.handle(sighted('a', bootNumber));
  const { runId } = bench.runs.last;
  await bench.end(failure('RPC_FAILED'), undefined, 'CONFIGURED');
  return runId;
}

/** The messages of the runs that have finished, in order. */
function messages(bench: FleetBench): string[] {
  return bench.sink.of('RUN_FINISHED').map(({ message }) => message);
}

describe('a node that a run configured and could not restart', () => {
  it('is run again by one that knows, and says so when it is done', async () => {
    const bench = new FleetBench();
    const runId = await cutOff(bench);
    bench.fleet.handle(sighted('a'));
    expect(bench.runs.last.task.cutOffRun).toBe(runId);
    await bench.end(provisioned);
    expect(messages(bench).at(-1)).toBe(`run ${runId} had configured it and could not restart it`);
  });

  it('likewise where it has booted anew in provisioning mode', async () => {
    const bench = new FleetBench();
    const runId = await cutOff(bench);
    bench.fleet.handle(sighted('a', 2));
    expect(bench.runs.last.task.cutOffRun).toBe(runId);
  });

  it('says perhaps where nobody knew whether it was configured', async () => {
    const bench = new FleetBench();
    bench.fleet.handle(sighted('a'));
    const { runId } = bench.runs.last;
    await bench.end(failure('RPC_FAILED'), undefined, 'PERHAPS_CONFIGURED');
    bench.fleet.handle(sighted('a'));
    await bench.end(restartUnsettled);
    expect(messages(bench).at(-1)).toBe(
      `the restart is not settled: only its confirmation will tell; run ${runId} had perhaps configured it and could not restart it`,
    );
  });

  it('is remembered through runs that come to nothing, and of two the later', async () => {
    const bench = new FleetBench();
    await cutOff(bench);
    const later = await cutOff(bench);
    bench.fleet.handle(sighted('a'));
    await bench.end({ kind: 'DEFERRED', by: 'HELPER', message: 'later', retryAfterMs: undefined });
    bench.fleet.handle(sighted('a'));
    expect(bench.runs.last.task.cutOffRun).toBe(later);
  });

  it('is no news any more once a run has restarted it', async () => {
    const bench = new FleetBench();
    await cutOff(bench);
    bench.fleet.handle(sighted('a'));
    await bench.end(provisioned);
    bench.fleet.handle(sighted('a', 2));
    expect(bench.runs.last.task.cutOffRun).toBeUndefined();
    await bench.end(provisioned);
    expect(messages(bench).at(-1)).toBe('');
  });

  it('is none any more once it came up by itself', async () => {
    const bench = new FleetBench();
    const runId = await cutOff(bench);
    bench.fleet.handle(cameUp('a', 2, runId));
    bench.fleet.handle(sighted('a', 3));
    expect(bench.runs.last.task.cutOffRun).toBeUndefined();
  });

  it('is not cleared by old news of a boot before, such as another snapshot of what came up of late', async () => {
    const bench = new FleetBench();
    bench.fleet.handle(sighted('a'));
    await bench.end(provisioned);
    bench.fleet.handle(cameUp('a', 2, bench.runs.last.runId));
    const runId = await cutOff(bench, 3);
    bench.fleet.handle(cameUp('a', 2, bench.runs.all[0]?.runId));
    bench.fleet.handle(sighted('a', 3));
    expect(bench.runs.last.task.cutOffRun).toBe(runId);
  });

  it('is told of also where its new configuration is confirmed before the run has ended', async () => {
    const bench = new FleetBench();
    const runId = await cutOff(bench);
    bench.fleet.handle(sighted('a'));
    bench.fleet.handle(cameUp('a', 2, bench.runs.last.runId));
    await bench.end(provisioned);
    expect(messages(bench).at(-1)).toContain(runId);
  });

  it('is also one whose restart was never settled, in the boot that was to end', async () => {
    for (const bootNumber of [1, 2]) {
      const bench = new FleetBench();
      bench.fleet.handle(sighted('a'));
      const { runId } = bench.runs.last;
      await bench.end(restartUnsettled, undefined, 'CONFIGURED');
      await bench.clock.advance(intervalMs);
      bench.fleet.handle(sighted('a', bootNumber));
      expect(bench.runs.last.task.cutOffRun).toBe(bootNumber === 1 ? runId : undefined);
    }
  });
});

describe('which run was cut off', () => {
  it('is forgotten two hours after', async () => {
    const clock = new FakeClock();
    const counters = new Counters(clock);
    const run = { runId: newRunId(), certain: true };
    counters.cutOff(a, run);
    await clock.advance(2 * 3_600_000 - 1);
    expect(counters.cutOffRun(a, boot(1))).toEqual(run);
    await clock.advance(1);
    expect(counters.cutOffRun(a, boot(1))).toBeUndefined();
  });
});
