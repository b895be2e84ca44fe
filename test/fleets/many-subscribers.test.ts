// A hundred subscribers, of which ten never read, while a fleet is provisioned: the others are told all the same, and they
// cost next to nothing. How soon is printed: it says something on a quiet machine only.

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import type { Stack } from '../../cli/launch/stack.js';
import { untilConfirmed } from '../e2e/confirmed.js';
import { eventsOf } from '../e2e/events-client.js';
import { peakMemoryMiB } from '../e2e/processes.js';
import { prepareStack, testHelper } from '../e2e/workspace.js';
import { size } from './sizes.js';
import type { Noted } from './subscribers/crowd.js';
import { wholeLog } from './subscribers/whole-log.js';

const nodes = size('FLEET_NODES', 3_000);
const subscribers = size('FLEET_SUBSCRIBERS', 100);
const stalled = Math.ceil(subscribers / 10);

const patienceMs = 360_000;

/** A node is not lost because others want the cores; and once all are confirmed, nothing happens any more. */
const settings = { identify_timeout: '10s', hold: '1h' };

test('100 subscribers, ten of which never read: the others are told all, and memory stays', {
  timeout: 2 * patienceMs,
}, async () => {
  const alone = await provision(async () => {});
  await alone.stack.endAll();
  let crowd: Crowd | undefined;
  const watched = await provision(async (stack) => {
    crowd = await startCrowd(stack);
  });
  const noted = await crowd?.noted(watched.events);
  const peaks = `${watched.peakMiB.toFixed(0)} MiB at most, ${alone.peakMiB.toFixed(0)} MiB without subscribers`;
  process.stdout.write(
    `${watched.seconds.toFixed(1)} s for ${nodes} nodes (${alone.seconds.toFixed(1)} s alone); ${watched.events} events: ` +
      `lag p50 ${noted?.p50} ms, p99 ${noted?.p99} ms, at most ${noted?.max} ms; ${peaks}\n`,
  );
  expect(new Set(noted?.counts).size).toBe(1);
  expect(watched.peakMiB - alone.peakMiB).toBeLessThan(50);
});

/** Provisions a fleet. @param before what is done once the provisioner is there and the nodes are not */
async function provision(before: (stack: Stack) => Promise<void>) {
  const stack = await prepareStack({ nodes, helper: testHelper('stamped.sh'), provisioner: settings });
  await stack.start('discovery');
  const { pid } = await stack.start('provisioner');
  await before(stack);
  const started = performance.now();
  await stack.start('mock-node');
  await untilConfirmed(stack, nodes, patienceMs);
  const seconds = (performance.now() - started) / 1000;
  const peakMiB = peakMemoryMiB(pid);
  const { events } = await wholeLog(eventsOf(stack));
  return { stack, seconds, peakMiB, events: events.length };
}

interface Crowd {
  /** Waits until each reader was told of so many events at least. */
  noted(events: number): Promise<Noted>;
}

async function startCrowd(stack: Stack): Promise<Crowd> {
  const program = fileURLToPath(new URL('./subscribers/crowd.ts', import.meta.url));
  const address = `127.0.0.1:${stack.ports.provisioner}`;
  const words = ['--import', 'tsx', program, address, String(subscribers - stalled), String(stalled)];
  const child = spawn(process.execPath, words, { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => String((await lines.next()).value);
  expect(await next()).toBe('READY');
  return {
    noted: async (events) => {
      const ask = async (): Promise<Noted> => {
        child.stdin.write('\n');
        return JSON.parse(await next());
      };
      const fewest = async () => Math.min(...(await ask()).counts);
      await expect.poll(fewest, { timeout: 60_000 }).toBeGreaterThanOrEqual(events);
      return ask();
    },
  };
}
