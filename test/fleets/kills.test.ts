import { expect, test } from 'vitest';
import type { Stack } from '../../cli/launch/stack.js';
import { until } from '../../cli/launch/until.js';
import { untilCommitted, untilConfigured } from '../e2e/confirmed.js';
import { withoutCredentials } from '../e2e/credentials-on-disk.js';
import { mixedStamps, nodesOnDisk, notWhole } from '../e2e/nodes-on-disk.js';
import { prepareStack, testHelper } from '../e2e/workspace.js';

/** A tenth of it on a quiet machine with two cores. */
const patienceMs = 360_000;

test('discovery and the provisioner killed twice each on the way: all confirmed, none configured twice but on the brink', {
  timeout: patienceMs + 60_000,
}, async () => {
  const nodes = 2_000;
  const stack = await prepareStack({
    nodes,
    helper: testHelper('stamped.sh'),
    tls: 'required',
    discovery: { interval: '5s', report_interval: '5s', max_reports_per_second: 2_000 },
    provisioner: { interval: '5s', identify_timeout: '10s' },
  });
  await stack.startAll();
  /** How often each node may have been configured: once, and once more for each time that it was on the brink. */
  const allowed = new Map<string, number>();
  for (const half of [1, 2]) {
    await untilCommitted(stack, (nodes * (2 * half - 1)) / 5);
    await stack.end('discovery', 'SIGKILL');
    await stack.start('discovery');

    await untilCommitted(stack, (nodes * 2 * half) / 5);
    await stack.end('provisioner', 'SIGKILL');
    for (const name of await betweenConfigureAndRestart(stack)) {
      allowed.set(name, (allowed.get(name) ?? 1) + 1);
    }
    await stack.start('provisioner');
  }

  await untilConfigured(stack, nodes, patienceMs);
  const states = await nodesOnDisk(stack);
  expect(states.size).toBe(nodes);
  expect(notWhole(states)).toEqual([]);
  expect(await mixedStamps(stack, states)).toEqual([]);
  expect(withoutCredentials(stack)).toEqual([]);
  const tooOften = [...states].filter(([name, node]) => node.configurations > (allowed.get(name) ?? 1));
  expect(tooOften.map(([name]) => name)).toEqual([]);
  process.stdout.write(`${allowed.size} of ${nodes} nodes were on the brink at a kill\n`);
});

/**
 * With the provisioner dead: the nodes that committed a configuration and were not asked to restart. A
 * call that was under way when it died may still commit, so the nodes are read until two readings agree.
 */
async function betweenConfigureAndRestart(stack: Stack): Promise<readonly string[]> {
  let before = '';
  return until(
    async () => {
      const states = await nodesOnDisk(stack);
      const names = [...states].filter(([, { stage }]) => stage === 'CONFIGURED').map(([name]) => name);
      const committed = [...states.values()].reduce((sum, { configurations }) => sum + configurations, 0);
      const reading = JSON.stringify([committed, names]);
      if (reading === before) return names;
      before = reading;
      return undefined;
    },
    { what: 'the nodes come to rest', timeoutMs: 30_000, everyMs: 300 },
  );
}
