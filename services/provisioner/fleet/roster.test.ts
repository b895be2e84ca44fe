import { describe, expect, it } from 'vitest';
import { FleetBench, failure, intervalMs, provisioned } from '../../../test/fakes/fleet-bench.js';
import { gone, identity, sighted } from '../../../test/fakes/node-events.js';
import type { HostState } from './admission.js';
import type { HostQuery, HostView } from './roster.js';

const all: HostQuery = { after: '', prefix: '', states: undefined, size: 1_000 };

const names = (hosts: readonly HostView[]) => hosts.map((host): string => host.identity);

describe('a host as others see it', () => {
  it('says in which state it is, since when and until when', async () => {
    const bench = new FleetBench();
    const a = identity('a');
    const start = bench.clock.now();
    await bench.clock.advance(1_000);
    bench.fleet.handle(sighted('b'));
    bench.fleet.handle(sighted('a'));
    await bench.clock.advance(2_000);
    expect(bench.fleet.roster.get(a)).toMatchObject({
      state: 'QUEUED',
      since: start + 1_000,
      until: undefined,
      admittedAt: start + 1_000,
      lastSightedAt: start + 1_000,
      isStale: false,
      run: undefined,
    });
    await bench.end(provisioned);
    await bench.clock.advance(500);
    const wait = { kind: 'HELPER', since: bench.clock.monotonic() - 200 } as const;
    bench.runs.last.progress = { step: 'HELPER', wait, trouble: undefined };
    expect(bench.fleet.roster.get(a)).toMatchObject({
      state: 'RUNNING',
      since: start + 3_000,
      run: {
        runId: bench.runs.last.runId,
        progress: { step: 'HELPER', wait: { kind: 'HELPER', since: start + 3_300 } },
      },
    });
    expect(bench.fleet.roster.get(identity('b'))).toMatchObject({
      state: 'HELD',
      since: start + 3_000,
      until: start + 63_000,
    });
  });

  it('shows the version that was fetched for as long as that boot lives', async () => {
    const bench = new FleetBench();
    const b = identity('b');
    bench.fleet.handle(sighted('b'));
    const { node } = bench.runs.last.task;
    const inventory = { value: { version: '1.2.3' } as never, fetchedAt: 0 };
    await bench.end(provisioned, { bootId: node.bootId, certificateSha256: '', inventory });
    expect(bench.fleet.roster.get(b)?.version).toBe('1.2.3');
    bench.fleet.handle(sighted('b', 2));
    expect(bench.fleet.roster.get(b)?.version).toBe('');
  });

  it('is stale where no run would start any more', async () => {
    const bench = new FleetBench();
    bench.fleet.handle(sighted('a'));
    bench.fleet.handle(sighted('b'));
    await bench.clock.advance(2 * intervalMs + 1);
    expect(bench.fleet.roster.get(identity('b'))?.isStale).toBe(true);
  });

  it('is told as it was when it is forgotten', async () => {
    const forgotten: [string, HostState, string][] = [];
    const bench = new FleetBench({
      forgetting: ({ identity: name, state }, cause) => forgotten.push([name, state, cause]),
    });
    bench.fleet.handle(sighted('a'));
    bench.fleet.handle(sighted('b'));
    bench.fleet.handle(gone('b'));
    await bench.end(failure());
    expect(forgotten).toEqual([
      ['b', 'QUEUED', 'GONE'],
      ['a', 'RUNNING', 'RUN_FINISHED'],
    ]);
    expect(bench.fleet.roster.failuresInRow(identity('a'))).toBe(1);
  });
});

describe('a page of hosts', () => {
  it('has those behind the one before, in order of identity, and says whether there are more', () => {
    const bench = new FleetBench({ workers: 0 });
    for (const name of ['c', 'a', 'e', 'b', 'd']) bench.fleet.handle(sighted(name));
    const { roster } = bench.fleet;
    const first = roster.page({ ...all, size: 2 });
    expect([names(first.hosts), first.more]).toEqual([['a', 'b'], true]);
    bench.fleet.handle(gone('b'));
    bench.fleet.handle(sighted('bb'));
    const second = roster.page({ ...all, after: 'b', size: 3 });
    expect([names(second.hosts), second.more]).toEqual([['bb', 'c', 'd'], true]);
    expect(roster.page({ ...all, after: 'd', size: 1 })).toMatchObject({ more: false });
    expect(roster.page({ ...all, after: 'z' })).toEqual({ hosts: [], more: false });
  });

  it('has those that begin with the prefix and are in one of the states', () => {
    const bench = new FleetBench();
    for (const name of ['web2', 'web1', 'db1', 'web10', 'x']) bench.fleet.handle(sighted(name));
    const { roster } = bench.fleet;
    expect(names(roster.page({ ...all, prefix: 'web' }).hosts)).toEqual(['web1', 'web10', 'web2']);
    expect(names(roster.page({ ...all, prefix: 'web', after: 'web1' }).hosts)).toEqual(['web10', 'web2']);
    expect(names(roster.page({ ...all, states: new Set(['RUNNING']) }).hosts)).toEqual(['web2']);
    expect(names(roster.page({ ...all, states: new Set() }).hosts)).toEqual([]);
  });
});

it('places in the queue are those of the turns', () => {
  const bench = new FleetBench({ workers: 0, queueLimit: 4 });
  const at = (source: number) => ({ address: `192.0.2.${source}:1` });
  for (const name of ['a', 'b', 'c']) bench.fleet.handle(sighted(name, 1, at(1)));
  bench.fleet.handle(sighted('d', 1, at(2)));
  const places = bench.fleet.roster.places(new Set(['a', 'b', 'd', 'x'].map(identity)));
  // Over half full turns go round the sources.
  expect([...places]).toEqual([
    ['a', 1],
    ['d', 2],
    ['b', 3],
  ]);
});
