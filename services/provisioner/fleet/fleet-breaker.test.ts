// What a helper that fails for every node does to the fleet (design, section 7).

import { describe, expect, it } from 'vitest';
import { settle } from '../../../test/fakes/fake-clock.js';
import type { FakeRun } from '../../../test/fakes/fake-runs.js';
import { FleetBench, failure, provisioned } from '../../../test/fakes/fleet-bench.js';
import { sighted } from '../../../test/fakes/node-events.js';
import type { HelperFailure } from '../run/helper-breaker.js';
import type { Outcome } from '../run/outcome.js';

const helperFailed: HelperFailure = { kind: 'FAILED', reason: 'HELPER_EXIT', message: 'exit code 3' };
const cancelled = (cause: 'BREAKER' | 'PAUSED'): Outcome => ({ kind: 'CANCELLED', cause });

/** Runs that ask the helper, and do as they are told. */
class Bench extends FleetBench {
  constructor(workers: number, limit: number, names: string) {
    super({ workers }, limit);
    for (const name of names) this.fleet.handle(sighted(name));
  }

  /** The run of that node that goes on. */
  run(name: string): FakeRun {
    const run = this.runs.open.find(({ task }) => task.node.identity === name);
    if (run === undefined) throw new Error(`no run of ${name} goes on`);
    return run;
  }

  /** The helper fails for the nodes, one after the other. */
  async fails(...names: string[]): Promise<void> {
    for (const name of names) {
      const run = this.run(name);
      run.end(this.breaker.failed(run.runId, helperFailed));
      await settle();
    }
  }

  /** Whoever was told to stop does, in the order of the names. */
  async giveBack(...names: string[]): Promise<void> {
    for (const name of names) {
      const run = this.run(name);
      expect(run.interruptions).toEqual(['BREAKER']);
      run.end(cancelled('BREAKER'));
      await settle();
    }
  }

  /** The helper answers the run of the node, which goes on. */
  async answers(name: string): Promise<void> {
    this.run(name);
    this.breaker.answered();
    await settle();
  }

  async next(): Promise<string | undefined> {
    const before = this.runs.all.length;
    await this.clock.advance(10_000);
    return this.ran[before];
  }

  get running(): string[] {
    return this.runs.open.map(({ task }) => task.node.identity).sort();
  }

  get inLine(): string[] {
    const names = new Set(this.fleet.roster.page(everybody).hosts.map(({ identity }) => identity));
    return [...this.fleet.roster.places(names).keys()];
  }

  outcomesOf(name: string): string[] {
    return this.sink.of('RUN_FINISHED').flatMap((it) => (it.identity === name ? [it.outcome] : []));
  }
}

const everybody = { after: '', prefix: '', states: undefined, size: 1_000 };

describe('a helper that fails for every node', () => {
  it('stops all runs at the limit; those below it have failed, and the one that opened it has not', async () => {
    const bench = new Bench(1, 3, 'abcde');
    await bench.fails('a', 'b', 'c');
    expect(['a', 'b', 'c'].map((name) => bench.outcomesOf(name))).toEqual([
      ['FAILED'],
      ['FAILED'],
      ['CANCELLED'],
    ]);
    expect(bench.running).toEqual([]);
    expect(bench.inLine).toEqual(['c', 'd', 'e']);
    expect(bench.fleet.status.busyWorkers).toBe(0);
  });

  it('has all runs give their worker back, to the head of the queue in the order that they had', async () => {
    const bench = new Bench(4, 1, 'abcdefg');
    await bench.fails('b');
    await bench.giveBack('d', 'a', 'c');
    expect(bench.running).toEqual([]);
    expect(bench.inLine).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g']);
  });

  it('lets those that have their reply go on', async () => {
    const bench = new Bench(2, 1, 'abc');
    await bench.fails('a');
    bench.run('b').end(provisioned);
    await settle();
    expect(bench.fleet.status.hosts).toMatchObject({ QUEUED: 2, HELD: 1 });
    expect(bench.running).toEqual([]);
  });

  it('is tried with one host at a time, each time another, and no host fails', async () => {
    const bench = new Bench(4, 1, 'abc');
    await bench.fails('a');
    await bench.giveBack('b', 'c');
    const probes: (string | undefined)[] = [];
    for (let probe = 0; probe < 6; probe++) {
      const name = await bench.next();
      probes.push(name);
      expect(bench.running).toEqual([name]);
      await bench.fails(name ?? '');
    }
    expect(probes).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
    expect(new Set(bench.sink.of('RUN_FINISHED').map(({ outcome }) => outcome))).toEqual(
      new Set(['CANCELLED']),
    );
  });

  it('leaves the failures of nodes as they were', async () => {
    const bench = new Bench(1, 2, 'a');
    await bench.end(failure());
    bench.fleet.handle(sighted('a'));
    await bench.fails('a');
    bench.fleet.handle(sighted('a'));
    await bench.fails('a');
    await bench.next();
    await bench.fails('a');
    const rows = bench.sink.of('RUN_FINISHED').map(({ outcome, failuresInRow }) => [outcome, failuresInRow]);
    expect(rows).toEqual([
      ['FAILED', 1],
      ['FAILED', 2],
      ['CANCELLED', 2],
      ['CANCELLED', 2],
    ]);
  });

  it('works again at the first reply: every worker takes a host at once', async () => {
    const bench = new Bench(3, 1, 'abcdef');
    await bench.fails('a');
    await bench.giveBack('b', 'c');
    expect(await bench.next()).toBe('a');
    await bench.answers('a');
    expect(bench.running).toEqual(['a', 'b', 'c']);
    for (const name of 'abcdef') {
      bench.run(name).end(provisioned);
      await settle();
    }
    expect(bench.fleet.status.hosts).toMatchObject({ QUEUED: 0, HELD: 6 });
    expect(bench.sink.of('BREAKER_CLOSED')).toHaveLength(1);
  });

  it('is tried with the next host at once where a probe says nothing of it', async () => {
    const bench = new Bench(1, 1, 'abc');
    await bench.fails('a');
    expect(await bench.next()).toBe('a');
    await bench.end(failure('UNREACHABLE'));
    expect(bench.running).toEqual(['b']);
    await bench.end({ kind: 'SKIPPED_STALE', message: '' });
    expect(bench.running).toEqual(['c']);
    await bench.end(failure('UNREACHABLE'));
    expect(bench.running).toEqual([]);
    expect(bench.fleet.status.queued).toBe(0);
    bench.fleet.handle(sighted('d'));
    expect(bench.running).toEqual(['d']);
  });

  it('keeps a host that an operator wants run in the queue', async () => {
    const bench = new Bench(1, 1, 'ab');
    await bench.fails('a');
    const wish = { identity: sighted('a').node.identity, force: false };
    expect(bench.fleet.wishes.provision(wish)).toBe('DONE');
    expect(bench.running).toEqual([]);
    expect(await bench.next()).toBe('a');
    await bench.fails('a');
    expect(bench.inLine).toEqual(['b', 'a']);
  });

  it('is not tried while an operator has paused, and then with one host again', async () => {
    const bench = new Bench(2, 1, 'abc');
    await bench.fails('a');
    await bench.giveBack('b');
    expect(await bench.next()).toBe('a');
    bench.fleet.pause();
    expect(bench.run('a').interruptions).toEqual(['PAUSED']);
    await bench.end(cancelled('PAUSED'));
    expect(await bench.next()).toBeUndefined();
    bench.fleet.resume();
    expect(bench.running).toEqual(['a']);
    await bench.fails('a');
    expect(bench.inLine).toEqual(['b', 'c', 'a']);
  });

  it('lets a host go that has left, and one that is released while it is the probe', async () => {
    const bench = new Bench(1, 1, 'ab');
    await bench.fails('a');
    expect(await bench.next()).toBe('a');
    bench.fleet.wishes.release(sighted('a').node.identity);
    await bench.end({ kind: 'CANCELLED', cause: 'RELEASED' });
    expect(bench.running).toEqual(['b']);
    expect(bench.sink.of('HOST_RELEASED').map(({ identity }) => identity)).toEqual(['a']);
  });

  it('is not tried by a provisioner that stops', async () => {
    const bench = new Bench(1, 1, 'ab');
    await bench.fails('a');
    await bench.fleet.stop(20_000);
    expect(await bench.next()).toBeUndefined();
  });
});
