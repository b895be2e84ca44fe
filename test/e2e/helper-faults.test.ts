import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import type { Stack } from '../../cli/launch/stack.js';
import { until } from '../../cli/launch/until.js';
import { FakeNodes } from '../fakes/fake-nodes.js';
import { announce } from './announce.js';
import { untilConfirmed } from './confirmed.js';
import { peakMemoryMiB, processesWith } from './processes.js';
import { prepareStack, testHelper } from './workspace.js';

/** What helpers/faulty.sh does for the node of each number, and how its run ends. */
const reasons: Readonly<Record<string, number>> = {
  HELPER_TIMEOUT: 2, // hangs; leaves a grandchild that holds stdout open
  HELPER_EMPTY: 1,
  HELPER_INVALID: 1,
  HELPER_TOO_LARGE: 1,
  HELPER_EXIT: 1,
};

test('each fault of a helper fails its node with its reason, and harms no other', async () => {
  const marker = `slipway-faulty-${randomUUID()}`;
  const stack = await prepareStack({
    nodes: 12,
    helper: `${testHelper('faulty.sh')} ${marker}`,
    provisioner: { helper_timeout: '4s', interval: '10m' },
    discovery: { interval: '10m' },
  });
  const { provisioner } = await stack.startAll();
  const big = await announceNodeWithMuchToTell();
  const faults = Object.values(reasons).reduce((sum, count) => sum + count, 0);
  await untilConfirmed(stack, 12 - faults, 60_000);
  await big.called('Restart');
  const { samples, failed } = await failures(stack, faults);
  expect(failed).toEqual(reasons);
  expect(samples.sum('slipway_provisioner_busy_workers')).toBe(0);
  expect(processesWith(marker)).toEqual([]);
  expect(peakMemoryMiB(provisioner.pid)).toBeLessThan(400);

  /** Number 4's helper does not read its input: here it is more than a pipe takes. */
  async function announceNodeWithMuchToTell() {
    const fakes = await FakeNodes.start();
    onTestFinished(() => fakes.stop());
    const node = fakes.add('node-00004.big.example.net');
    node.answers.set('GetInventory', { factsJson: JSON.stringify({ notes: 'x'.repeat(1_000_000) }) });
    await announce(stack, [{ identity: node.identity, bootId: node.bootId, address: fakes.addressOf(node) }]);
    return node;
  }
});

/** What helpers/faulty-lines.sh does for the node of each number, and how its run ends. */
const reasonsOfLines: Readonly<Record<string, number>> = {
  HELPER_TIMEOUT: 1, // hangs
  HELPER_EMPTY: 1,
  HELPER_INVALID: 2, // a number for a string; two lines
  HELPER_TOO_LARGE: 1,
  HELPER_EXIT: 1,
};

test('each fault of a helper that lives on fails its node with its reason, and harms no other', async () => {
  const marker = `slipway-faulty-${randomUUID()}`;
  const stack = await prepareStack({
    nodes: 40,
    helper: `${testHelper('faulty-lines.sh')} ${marker}`,
    provisioner: { helper_mode: 'persistent', helper_timeout: '4s', interval: '10m' },
    discovery: { interval: '10m' },
  });
  const { provisioner } = await stack.startAll();
  const faults = Object.values(reasonsOfLines).reduce((sum, count) => sum + count, 0);
  await untilConfirmed(stack, 40 - faults, 60_000);
  const { samples, failed } = await failures(stack, faults);
  expect(failed).toEqual(reasonsOfLines);
  expect(samples.sum('slipway_provisioner_busy_workers')).toBe(0);
  expect(peakMemoryMiB(provisioner.pid)).toBeLessThan(400);
  await stack.endAll();
  expect(processesWith(marker)).toEqual([]);
});

/** Once so many runs have failed: what is measured then, and how many failed by reason. */
async function failures(stack: Stack, faults: number) {
  const samples = await until(
    async () => {
      const now = await stack.metrics('provisioner');
      return now?.sum('slipway_provisioner_runs_total', { outcome: 'FAILED' }) === faults && now;
    },
    { what: 'every faulty run has failed', timeoutMs: 30_000 },
  );
  const byReason = samples.sumBy('reason', 'slipway_provisioner_runs_total', { outcome: 'FAILED' });
  return { samples, failed: Object.fromEntries(byReason) };
}
