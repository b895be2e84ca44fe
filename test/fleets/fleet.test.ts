import { expect, test } from 'vitest';
import { untilConfirmed } from '../e2e/confirmed.js';
import { withoutCredentials } from '../e2e/credentials-on-disk.js';
import { mixedStamps, nodesOnDisk, notWhole } from '../e2e/nodes-on-disk.js';
import { prepareStack, testHelper } from '../e2e/workspace.js';

/** A tenth of it on a quiet machine with two cores. */
const patienceMs = 360_000;

/** A node is not lost because one process plays two thousand of them and others want its core. */
const patient = { identify_timeout: '10s' };

test('2,000 nodes that start within a second are all confirmed, each configured exactly once', {
  timeout: patienceMs + 60_000,
}, async () => {
  const nodes = 2_000;
  const stack = await prepareStack({
    nodes,
    helper: testHelper('stamped.sh'),
    tls: 'required',
    provisioner: patient,
  });
  await stack.startAll();
  const started = performance.now();
  await untilConfirmed(stack, nodes, patienceMs);
  const seconds = (performance.now() - started) / 1000;
  process.stdout.write(`${nodes} nodes: ${seconds.toFixed(1)} s after the swarm was up\n`);

  const states = await nodesOnDisk(stack);
  expect(states.size).toBe(nodes);
  expect(notWhole(states)).toEqual([]);
  expect([...states].filter(([, { configurations }]) => configurations !== 1)).toEqual([]);
  expect(await mixedStamps(stack, states)).toEqual([]);
  expect(withoutCredentials(stack)).toEqual([]);
  const samples = await stack.metrics('provisioner');
  expect(samples?.sum('slipway_provisioner_confirmed_total')).toBe(nodes);
  expect(samples?.sum('slipway_provisioner_runs_total', { outcome: 'PROVISIONED' })).toBe(nodes);
});

test('a queue limit of 100 with 1,000 nodes: every node is provisioned in the end, drops are counted', {
  timeout: patienceMs + 60_000,
}, async () => {
  const nodes = 1_000;
  const stack = await prepareStack({
    nodes,
    helper: testHelper('stamped.sh'),
    tls: 'required',
    discovery: { interval: '2s' },
    provisioner: { ...patient, queue_limit: 100, interval: '2s', workers: 8, confirm_timeout: '60s' },
  });
  await stack.startAll();
  await untilConfirmed(stack, nodes, patienceMs);

  const states = await nodesOnDisk(stack);
  expect(notWhole(states)).toEqual([]);
  expect([...states].filter(([, { configurations }]) => configurations !== 1)).toEqual([]);
  const samples = await stack.metrics('provisioner');
  expect(samples?.sum('slipway_provisioner_dropped_total')).toBeGreaterThan(0);
  expect(samples?.sum('slipway_provisioner_runs_total', { outcome: 'SKIPPED_STALE' })).toBe(0);
});
