import { expect, test } from 'vitest';
import { parseCidr } from '../../../shared/net/dial-policy.js';
import { settle } from '../../../test/fakes/fake-clock.js';
import { RegistryBench } from '../../../test/fakes/registry-bench.js';
import { Limiter } from '../probes/limiter.js';
import { TargetProbes } from './target-probes.js';

function setUp(networks: string[] = []) {
  const bench = new RegistryBench();
  const failures: string[] = [];
  const probes = new TargetProbes({
    registry: bench.registry,
    prober: bench.prober,
    limiter: new Limiter(3),
    nodeNetworks: networks.map(parseCidr),
    lookup: async (host) => (host === 'a.example' ? ['127.0.0.1', '10.0.0.1'] : []),
    intervalMs: 60_000,
    signal: bench.stop.signal,
    failed: (target, why) => failures.push(`${target}: ${why}`),
  });
  return { bench, probes, failures };
}

test('a node at a target is live for three intervals', async () => {
  const { bench, probes } = setUp();
  bench.boot('a.example', '10.0.0.1:7430');
  probes.probe('a.example:7430');
  await settle();
  expect([...bench.registry.live()][0]).toMatchObject({ source: 'PROBED', address: '10.0.0.1:7430' });
  await bench.pass(179_000);
  expect(bench.registry.liveCount).toBe(1);
  await bench.pass(2000);
  expect(bench.told()).toEqual(['SIGHTED a.example at 10.0.0.1', 'EXPIRED a.example at 10.0.0.1']);
});

test('a target that does not answer, may not be dialled or does not resolve is counted', async () => {
  const { probes, failures } = setUp(['10.0.0.0/8']);
  for (const target of ['10.0.0.9:1', '192.168.0.1:1', 'b.example:1']) probes.probe(target);
  await settle();
  expect(failures.sort()).toEqual([
    '10.0.0.9:1: connection refused',
    '192.168.0.1:1: 192.168.0.1 is outside node_networks',
    'b.example:1: b.example has no address',
  ]);
});

test('so many targets are probed at once and no more, and none twice at once', async () => {
  const { bench, probes } = setUp();
  bench.prober.hold();
  for (let round = 0; round < 2; round++) {
    for (let index = 0; index < 20; index++) probes.probe(`10.0.1.${index}:1`);
  }
  await settle();
  expect(bench.prober.probed).toHaveLength(3);
  expect(probes.pending).toBe(20);
  bench.prober.release();
  for (let turn = 0; turn < 20; turn++) await settle();
  expect(bench.prober.probed).toHaveLength(20);
  expect(bench.prober.mostAtOnce).toBe(3);
  expect(probes.pending).toBe(0);
});

test('a node that does not take configuration is none that waits', async () => {
  const { bench, probes } = setUp();
  const node = bench.boot('a.example', '10.0.0.1:7430');
  bench.prober.place(node.address, { ...node, provisioning: false });
  probes.probe('10.0.0.1:7430');
  await settle();
  expect(bench.told()).toEqual([]);
});
