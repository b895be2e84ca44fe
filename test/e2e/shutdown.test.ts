import { expect, test } from 'vitest';
import { until } from '../../cli/launch/until.js';
import { nodesOnDisk } from './nodes-on-disk.js';
import { prepareStack, testHelper } from './workspace.js';

test('SIGTERM during work ends every process with 0 in time, no node is configured and not restarted', async () => {
  const nodes = 500;
  const stack = await prepareStack({ nodes, helper: testHelper('stamped.sh') });
  await stack.startAll();
  await until(
    async () => {
      const samples = await stack.metrics('mock-node');
      return (samples?.sum('slipway_mock_node_configurations_total') ?? 0) >= nodes / 5;
    },
    { what: 'a fifth of the fleet configured', timeoutMs: 60_000 },
  );

  const asked = performance.now();
  expect(await stack.end('provisioner')).toEqual({ code: 0, signal: null });
  expect(performance.now() - asked).toBeLessThan(20_000);
  await until(
    async () => {
      const states = [...(await nodesOnDisk(stack)).values()];
      return states.every(({ stage }) => stage !== 'RESTARTING');
    },
    { what: 'the nodes that were asked to restart have done so', timeoutMs: 30_000 },
  );
  const states = await nodesOnDisk(stack);
  const stranded = [...states].filter(([, { status }]) => status === 'COMMITTED').map(([name]) => name);
  expect(stranded).toEqual([]);
  expect([...states.values()].some(({ confirmed }) => confirmed)).toBe(true);
  expect([...states.values()].every(({ confirmed }) => confirmed)).toBe(false);

  expect(await stack.end('discovery')).toEqual({ code: 0, signal: null });
  expect(await stack.end('mock-node')).toEqual({ code: 0, signal: null });
});
