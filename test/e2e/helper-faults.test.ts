import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { until } from '../../cli/launch/until.js';
import { untilConfirmed } from './confirmed.js';
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
  });
  await stack.startAll();
  const faults = Object.values(reasons).reduce((sum, count) => sum + count, 0);
  await untilConfirmed(stack, 12 - faults, 60_000);
  const samples = await until(
    async () => {
      const now = await stack.metrics('provisioner');
      return now?.sum('slipway_provisioner_runs_total', { outcome: 'FAILED' }) === faults && now;
    },
    { what: 'every faulty run has failed', timeoutMs: 30_000 },
  );
  for (const [reason, count] of Object.entries(reasons)) {
    expect([reason, samples.sum('slipway_provisioner_runs_total', { reason })]).toEqual([reason, count]);
  }
  expect(samples.sum('slipway_provisioner_busy_workers')).toBe(0);
  expect(commandLinesWith(marker).filter((line) => !line.includes('main.js'))).toEqual([]);
  const residentMiB = samples.sum('process_resident_memory_bytes') / 2 ** 20;
  expect(residentMiB).toBeLessThan(400);
});

/** @returns the command lines of running processes that contain the marker */
function commandLinesWith(marker: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      } catch {
        return '';
      }
    })
    .filter((line) => line.includes(marker));
}
