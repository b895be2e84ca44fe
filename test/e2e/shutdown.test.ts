import { expect, onTestFinished, test } from 'vitest';
import type { Stack } from '../../cli/launch/stack.js';
import { until } from '../../cli/launch/until.js';
import { FakeNodes } from '../fakes/fake-nodes.js';
import { announce } from './announce.js';
import { untilCommitted } from './confirmed.js';
import { nodesOnDisk } from './nodes-on-disk.js';
import { prepareStack, testHelper } from './workspace.js';

const endedWell = { code: 0, signal: null };

test('SIGTERM to the provisioner during work: no node is left configured and not restarted', async () => {
  const nodes = 500;
  const stack = await prepareStack({ nodes, helper: testHelper('stamped.sh') });
  await stack.startAll();
  await untilCommitted(stack, nodes / 5);

  const asked = performance.now();
  expect(await stack.end('provisioner')).toEqual(endedWell);
  expect(performance.now() - asked).toBeLessThan(20_000);
  await untilRestarted(stack);
  const states = await nodesOnDisk(stack);
  const stranded = [...states].filter(([, { status }]) => status === 'COMMITTED').map(([name]) => name);
  expect(stranded).toEqual([]);
  expect([...states.values()].some(({ confirmed }) => confirmed)).toBe(true);
  expect([...states.values()].every(({ confirmed }) => confirmed)).toBe(false);
});

test('SIGTERM to each service in turn during work ends it with 0 in time', async () => {
  const nodes = 300;
  const stack = await prepareStack({ nodes, helper: testHelper('stamped.sh') });
  await stack.startAll();
  for (const [service, committed] of [
    ['discovery', 50],
    ['mock-node', 100],
    ['provisioner', 100],
  ] as const) {
    if (service !== 'provisioner') await untilCommitted(stack, committed);
    const asked = performance.now();
    expect([service, await stack.end(service)]).toEqual([service, endedWell]);
    expect(performance.now() - asked).toBeLessThan(20_000);
  }
});

test('SIGTERM while nodes are slow to restart, or never answer: the slow ones are restarted first', async () => {
  const graceMs = 6_000;
  const stack = await prepareStack({
    nodes: 1,
    helper: testHelper('stamped.sh'),
    provisioner: { shutdown_grace: `${graceMs}ms` },
  });
  const fakes = await FakeNodes.start();
  onTestFinished(() => fakes.stop());
  const nodes = Array.from({ length: 10 }, (_, index) => fakes.add(`slow-${index}.example.net`));
  const release = new AbortController();
  for (const [index, node] of nodes.entries()) {
    node.bootNumber = index + 1;
    node.delays.set('Restart', index % 2 === 0 ? aborted(release.signal) : new Promise(() => {}));
  }
  await stack.start('discovery');
  await stack.start('provisioner');
  await announce(
    stack,
    nodes.map((node) => ({
      identity: node.identity,
      bootId: node.bootId,
      address: fakes.addressOf(node),
    })),
  );
  await Promise.all(nodes.map((node) => node.called('Restart')));

  const asked = performance.now();
  const ended = stack.end('provisioner');
  setTimeout(() => release.abort(), graceMs / 3);
  expect(await ended).toEqual(endedWell);
  const tookMs = performance.now() - asked;
  expect(tookMs).toBeGreaterThan(graceMs / 3);
  expect(tookMs).toBeLessThan(graceMs + 3_000);
});

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

async function untilRestarted(stack: Stack): Promise<void> {
  await until(
    async () => {
      const states = [...(await nodesOnDisk(stack)).values()];
      return states.every(({ stage }) => stage !== 'RESTARTING');
    },
    { what: 'the nodes that were asked to restart have done so', timeoutMs: 30_000 },
  );
}
