import { expect, test } from 'vitest';
import { RegistryBench } from '../../../test/fakes/registry-bench.js';
import { Limiter } from '../probes/limiter.js';
import { Cycles } from './cycles.js';
import { TargetProbes } from './target-probes.js';
import { Targets } from './targets.js';

const intervalMs = 60_000;
const slots = 10;

function setUp(targets: string[] = []) {
  const bench = new RegistryBench({ slots });
  let completed = 0;
  const cycles = new Cycles({
    clock: bench.clock,
    registry: bench.registry,
    targets: new Targets(
      targets,
      () => Promise.reject(new Error('no file')),
      () => {},
    ),
    probes: new TargetProbes({
      registry: bench.registry,
      prober: bench.prober,
      limiter: new Limiter(8),
      nodeNetworks: [],
      lookup: async () => [],
      intervalMs,
      signal: bench.stop.signal,
      failed: () => {},
    }),
    intervalMs,
    slots,
    completed: () => completed++,
  });
  return { bench, cycles, completed: () => completed };
}

function fleet(bench: RegistryBench, size: number): void {
  for (let index = 0; index < size; index++) {
    const node = bench.boot(`n${index}`, `10.0.${index >> 8}.${index & 255}:7430`);
    bench.report(node, 'STARTUP', { reply: { leaseMs: 3_600_000, nextReportMs: 10_000 } });
  }
  bench.told();
}

test('each live node is sighted once in an interval, spread over it', async () => {
  const { bench, cycles, completed } = setUp();
  fleet(bench, 500);
  await cycles.start();
  const counts: number[] = [];
  for (let part = 0; part < slots; part++) {
    await bench.clock.advance(intervalMs / slots);
    counts.push(bench.told().length);
  }
  expect(counts.reduce((sum, count) => sum + count)).toBe(500);
  expect(Math.max(...counts)).toBeLessThan(100);
  expect(completed()).toBe(1);
  expect(bench.clock.pendingTimers).toBe(1);
});

test('targets are probed at the start, and then once in an interval, spread over it', async () => {
  const targets = Array.from({ length: 20 }, (_, index) => `10.0.0.${index}:7430`);
  const { bench, cycles } = setUp(targets);
  await cycles.start();
  await bench.clock.advance(1000);
  expect(bench.prober.probed.splice(0)).toHaveLength(20);
  await bench.clock.advance(intervalMs / slots);
  expect(bench.prober.probed.splice(0)).toHaveLength(2);
  await bench.clock.advance((intervalMs / slots) * 9);
  expect(bench.prober.probed.splice(0)).toEqual(targets.slice(2));
});

test('a cycle that was asked for sights every node at once, and says what it does', async () => {
  const { bench, cycles, completed } = setUp(['10.9.0.1:7430']);
  fleet(bench, 1200);
  expect(await cycles.discover()).toEqual({ sighted: 1200, probed: 1 });
  await bench.clock.advance(100);
  expect(new Set(bench.told()).size).toBe(1200);
  expect(bench.prober.probed).toEqual(['10.9.0.1:7430']);
  expect(completed()).toBe(1);
});

test('cycles that are asked for while one goes on are one more', async () => {
  const { bench, cycles } = setUp();
  fleet(bench, 1200);
  for (let time = 0; time < 10; time++) await cycles.discover();
  await bench.clock.advance(1000);
  expect(bench.told()).toHaveLength(2400);
  expect(bench.clock.pendingTimers).toBe(0);
});

test('nodes that go during such a cycle are left out', async () => {
  const { bench, cycles } = setUp();
  fleet(bench, 600);
  await cycles.discover();
  const last = [...bench.registry.live()].at(-1);
  if (last === undefined) throw new Error('no nodes');
  bench.report({ ...last, sequence: last.sequence }, 'SHUTDOWN', { sequence: 99n });
  await bench.clock.advance(100);
  const told = bench.told();
  expect(told.filter((event) => event.startsWith('SIGHTED'))).toHaveLength(599);
});

test('after the stop nothing is sighted', async () => {
  const { bench, cycles } = setUp();
  fleet(bench, 2000);
  await cycles.start();
  await cycles.discover();
  cycles.stop();
  bench.told();
  await bench.clock.advance(intervalMs);
  expect(bench.told()).toEqual([]);
  expect(bench.clock.pendingTimers).toBe(0);
});
