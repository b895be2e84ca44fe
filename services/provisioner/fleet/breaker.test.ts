import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newRunId, type RunId } from '../../../shared/identity.js';
import { FakeClock } from '../../../test/fakes/fake-clock.js';
import { RecordingSink } from '../../../test/fakes/recording-sink.js';
import type { HelperFailure } from '../run/helper-breaker.js';
import { Breaker } from './breaker.js';

const failure: HelperFailure = { kind: 'FAILED', reason: 'HELPER_EXIT', message: 'exit code 3' };
const givenBack = { kind: 'CANCELLED', cause: 'BREAKER' };
const probeFailed = { ...givenBack, probe: true };

class Bench {
  readonly clock = new FakeClock();
  readonly sink = new RecordingSink();
  readonly told: string[] = [];
  readonly breaker: Breaker;

  constructor(limit: number, jitter = 0.5) {
    this.breaker = new Breaker({ limit, clock: this.clock, random: () => jitter, sink: this.sink });
    this.breaker.watch({
      opened: () => this.told.push('opened'),
      mayStart: () => this.told.push('may start'),
    });
  }

  fail(times: number): void {
    for (let time = 0; time < times; time++) this.breaker.failed(newRunId(), failure);
  }

  /** Starts a probe. */
  probe(): RunId {
    const runId = newRunId();
    this.breaker.started(runId);
    return runId;
  }
}

describe('the breaker', () => {
  it('opens at so many failures in a row, and not before', () => {
    const { breaker, sink, told } = new Bench(3);
    expect(breaker.failed(newRunId(), failure)).toBe(failure);
    expect(breaker.failed(newRunId(), failure)).toBe(failure);
    expect([breaker.mayStart, breaker.standing.open]).toEqual([true, undefined]);
    expect(breaker.failed(newRunId(), failure)).toEqual(givenBack);
    expect(breaker.mayStart).toBe(false);
    expect(told).toEqual(['opened']);
    expect(sink.events).toEqual([
      { type: 'BREAKER_OPENED', failures: 3, reason: 'HELPER_EXIT', message: 'exit code 3' },
    ]);
  });

  it('begins a new row with each usable reply, and remembers the last failure', () => {
    const bench = new Bench(3);
    bench.fail(2);
    bench.breaker.answered();
    bench.fail(2);
    expect(bench.breaker.standing).toEqual({
      failuresInRow: 2,
      reason: 'HELPER_EXIT',
      message: 'exit code 3',
      open: undefined,
    });
    expect(bench.told).toEqual([]);
  });

  it('holds no failure against a node while it is open, and lets nobody but the probe ask', async () => {
    const bench = new Bench(1);
    bench.fail(1);
    await bench.clock.advance(1_000);
    const probe = bench.probe();
    const other = newRunId();
    expect([bench.breaker.mayAsk(probe), bench.breaker.mayAsk(other)]).toEqual([true, false]);
    expect(bench.breaker.failed(other, failure)).toEqual(givenBack);
    expect(bench.breaker.failed(probe, failure)).toEqual(probeFailed);
    expect(bench.breaker.mayAsk(probe)).toBe(false);
  });

  it('lets one probe start after a pause, and another after pauses that grow to 10 seconds', async () => {
    const bench = new Bench(1);
    bench.fail(1);
    const pauses: number[] = [];
    for (let probes = 0; probes < 6; probes++) {
      pauses.push((bench.breaker.standing.open?.nextProbeAt ?? 0) - bench.clock.now());
      await bench.clock.advance((pauses.at(-1) ?? 0) - 1);
      expect(bench.breaker.mayStart).toBe(false);
      await bench.clock.advance(1);
      expect(bench.breaker.mayStart).toBe(true);
      const probe = bench.probe();
      expect(bench.breaker.mayStart).toBe(false);
      bench.breaker.failed(probe, failure);
      bench.breaker.ended(probe);
    }
    // In the middle of what jitter leaves below ten seconds.
    expect(pauses).toEqual([1_000, 2_000, 4_000, 7_000, 7_500, 7_500]);
  });

  it('spreads the pauses', () => {
    const pauseOf = (jitter: number) => {
      const bench = new Bench(1, jitter);
      bench.fail(1);
      return (bench.breaker.standing.open?.nextProbeAt ?? 0) - bench.clock.now();
    };
    expect([pauseOf(0), pauseOf(1)]).toEqual([500, 1_500]);
  });

  it('lets another probe start at once where one has ended without a word on the helper', async () => {
    const bench = new Bench(1);
    bench.fail(1);
    await bench.clock.advance(1_000);
    bench.breaker.ended(bench.probe());
    expect(bench.breaker.mayStart).toBe(true);
    bench.breaker.ended(newRunId());
    const probe = bench.probe();
    bench.breaker.ended(newRunId());
    expect(bench.breaker.mayStart).toBe(false);
    expect(bench.breaker.failed(probe, failure)).toEqual(probeFailed);
  });

  it('closes at the first usable reply, tells for how long it was open, and starts with short pauses again', async () => {
    const bench = new Bench(2);
    bench.fail(2);
    await bench.clock.advance(1_000);
    bench.breaker.failed(bench.probe(), failure);
    await bench.clock.advance(2_000);
    bench.probe();
    bench.breaker.answered();
    expect(bench.sink.events.at(-1)).toEqual({ type: 'BREAKER_CLOSED', afterMs: 3_000 });
    expect(bench.told).toEqual(['opened', 'may start', 'may start', 'may start']);
    expect(bench.breaker.standing).toMatchObject({ failuresInRow: 0, open: undefined });
    bench.fail(2);
    expect(bench.breaker.standing.open?.nextProbeAt).toBe(bench.clock.now() + 1_000);
  });

  it('knows nothing of an earlier probe once it has closed and opened again', async () => {
    const bench = new Bench(1);
    bench.fail(1);
    await bench.clock.advance(1_000);
    const early = bench.probe();
    bench.breaker.answered();
    bench.fail(1);
    expect(bench.breaker.failed(early, failure)).toEqual(givenBack);
    bench.breaker.ended(early);
    expect(bench.breaker.mayStart).toBe(false);
  });

  it('never opens below its limit, never has two probes, and closes at the first reply, whatever happens', async () => {
    const step = fc.record({
      do: fc.constantFrom('START', 'FAIL', 'FAIL', 'FAIL', 'ANSWER', 'END', 'WAIT'),
      run: fc.nat({ max: 5 }),
      ms: fc.constantFrom(100, 1_000, 15_000),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(step, { maxLength: 80 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        async (limit, steps, jitter) => {
          const bench = new Bench(limit, jitter);
          const { breaker } = bench;
          const running = new Set<RunId>();
          /** Started while it was open, and nothing is known of the helper by them yet. */
          const probes = new Set<RunId>();
          let row = 0;
          for (const { do: what, run, ms } of steps) {
            const runId = [...running][run % Math.max(running.size, 1)];
            const wasOpen = breaker.standing.open !== undefined;
            if (what === 'WAIT') await bench.clock.advance(ms);
            if (what === 'START' && breaker.mayStart) {
              const started = newRunId();
              running.add(started);
              if (wasOpen) probes.add(started);
              breaker.started(started);
            }
            if (runId === undefined) continue;
            if (what === 'FAIL' && breaker.mayAsk(runId)) {
              row += 1;
              const outcome = breaker.failed(runId, failure);
              expect(outcome.kind).toBe(row < limit ? 'FAILED' : 'CANCELLED');
              expect('probe' in outcome).toBe(probes.delete(runId));
            }
            if (what === 'ANSWER' && breaker.mayAsk(runId)) {
              row = 0;
              breaker.answered();
              probes.clear();
              expect(breaker.mayStart).toBe(true);
            }
            if (what === 'END' || what === 'FAIL') {
              running.delete(runId);
              probes.delete(runId);
              breaker.ended(runId);
            }
            expect(probes.size).toBeLessThanOrEqual(1);
            expect(breaker.standing.open !== undefined).toBe(row >= limit);
            expect(breaker.standing.failuresInRow).toBe(row);
          }
          const types = bench.sink.types;
          types.forEach((type, index) => {
            expect(type).toBe(index % 2 === 0 ? 'BREAKER_OPENED' : 'BREAKER_CLOSED');
          });
          // However long it was open: somebody is let in within the longest pause.
          await bench.clock.advance(10_000);
          if (probes.size === 0) expect(breaker.mayStart).toBe(true);
        },
      ),
    );
  });
});
