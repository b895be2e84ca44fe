import { expect, test } from 'vitest';
import type { Stack } from '../../cli/launch/stack.js';
import { until } from '../../cli/launch/until.js';
import { untilConfigured } from './confirmed.js';
import { mixedStamps, nodesOnDisk, notWhole } from './nodes-on-disk.js';
import { prepareStack, testHelper } from './workspace.js';

test('discovery and the provisioner killed on the way: all confirmed, none configured twice but on the brink', async () => {
  const nodes = 2_000;
  const stack = await prepareStack({
    nodes,
    helper: testHelper('stamped.sh'),
    discovery: { interval: '5s', report_interval: '2s', max_reports_per_second: 2_000 },
    provisioner: { interval: '5s' },
  });
  await stack.startAll();

  await untilCommitted(stack, nodes / 4);
  await stack.end('discovery', 'SIGKILL');
  await stack.start('discovery');

  await untilCommitted(stack, nodes / 2);
  await stack.end('provisioner', 'SIGKILL');
  const onTheBrink = await betweenConfigureAndRestart(stack);
  await stack.start('provisioner');

  await untilConfigured(stack, nodes, 100_000);
  const states = await nodesOnDisk(stack);
  expect(notWhole(states)).toEqual([]);
  expect(await mixedStamps(stack, states)).toEqual([]);
  const twice = [...states].filter(([, { configurations }]) => configurations !== 1).map(([name]) => name);
  expect(twice.filter((name) => !onTheBrink.has(name))).toEqual([]);
  expect(Math.max(...[...states.values()].map(({ configurations }) => configurations))).toBeLessThanOrEqual(
    2,
  );
});

/** Resolves when so many nodes have committed a configuration, as the swarm counts them. */
async function untilCommitted(stack: Stack, count: number): Promise<void> {
  await until(
    async () => {
      const samples = await stack.metrics('mock-node');
      return (samples?.sum('slipway_mock_node_configurations_total') ?? 0) >= count;
    },
    { what: `${count} configurations committed`, timeoutMs: 60_000 },
  );
}

/**
 * With the provisioner dead: the nodes that committed a configuration and were not asked to restart. A
 * call that was under way when it died may still commit, so the nodes are read until two readings agree.
 */
async function betweenConfigureAndRestart(stack: Stack): Promise<ReadonlySet<string>> {
  let before = '';
  return until(
    async () => {
      const states = await nodesOnDisk(stack);
      const names = [...states].filter(([, { stage }]) => stage === 'CONFIGURED').map(([name]) => name);
      const committed = [...states.values()].reduce((sum, { configurations }) => sum + configurations, 0);
      const reading = JSON.stringify([committed, names]);
      if (reading === before) return new Set(names);
      before = reading;
      return undefined;
    },
    { what: 'the nodes come to rest', timeoutMs: 30_000, everyMs: 300 },
  );
}
