// A subscriber that is killed over and over, of a provisioner that is, too, has every event once and in order.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import type { Stack } from '../../cli/launch/stack.js';
import { until } from '../../cli/launch/until.js';
import { untilCommitted, untilConfigured } from '../e2e/confirmed.js';
import { eventsOf } from '../e2e/events-client.js';
import { prepareStack, testHelper } from '../e2e/workspace.js';
import { size } from './sizes.js';
import { readRecord } from './subscribers/record.js';
import { wholeLog } from './subscribers/whole-log.js';

const nodes = size('FLEET_NODES', 3_000);
const subscriberKills = size('FLEET_KILLS', 50);
const provisionerKills = Math.ceil(subscriberKills / 10);

const patienceMs = 480_000;

const program = fileURLToPath(new URL('./subscribers/recording-subscriber.ts', import.meta.url));

test('a subscriber killed 50 times and a provisioner killed five times: every event once, in order', {
  timeout: patienceMs + 60_000,
}, async () => {
  const stack = await prepareStack({
    nodes,
    helper: testHelper('stamped.sh'),
    discovery: { interval: '5s', report_interval: '5s', max_reports_per_second: 2_000 },
    // Few at a time, so that there is something to hear of from the first kill to the last.
    provisioner: { interval: '5s', identify_timeout: '10s', workers: 8 },
  });
  const file = join(stack.directory, 'subscriber.jsonl');
  await stack.startAll();
  let configured = false;
  const killing = killSubscribers(stack, file, () => configured);
  for (let kill = 1; kill <= provisionerKills; kill++) {
    await untilCommitted(stack, (nodes * kill) / (provisionerKills + 1));
    await stack.end('provisioner', 'SIGKILL');
    await stack.start('provisioner');
  }
  await untilConfigured(stack, nodes, patienceMs);
  configured = true;
  const { kills, whileProvisioning } = await killing;
  process.stdout.write(`${kills} kills of the subscriber, ${whileProvisioning} of them under way\n`);

  const client = eventsOf(stack);
  const subscriber = startSubscriber(stack, file);
  const { log, heard } = await until(
    async () => {
      const log = await wholeLog(client);
      const heard = readRecord(file).flatMap((line) => (line.kind === 'EVENTS' ? line.events : []));
      return heard.at(-1)?.sequence === Number(log.events.at(-1)?.sequence) ? { log, heard } : undefined;
    },
    { what: 'the subscriber has heard of everything', timeoutMs: 60_000, everyMs: 1000 },
  );
  await subscriber.kill();
  process.stdout.write(`${heard.length} events, of ${log.events.length} in the log\n`);
  const lines = readRecord(file);
  expect(lines.filter(({ kind }) => kind === 'GAP')).toEqual([]);
  expect(log.gaps).toEqual([]);
  expect(new Set(lines.flatMap((line) => (line.kind === 'EVENTS' ? [line.logId] : [])))).toEqual(
    new Set([log.logId]),
  );
  expect(heard).toEqual(log.events.map(({ sequence, id }) => ({ sequence: Number(sequence), id })));
  expect(heard.map(({ sequence }) => sequence)).toEqual(heard.map((_, index) => index + 1));
  expect(new Set(heard.map(({ id }) => id)).size).toBe(heard.length);
  expect(kills).toBe(subscriberKills);
});

/** Starts and kills a subscriber, each time once it has heard of something new, until it was killed often enough. */
async function killSubscribers(stack: Stack, file: string, isOver: () => boolean) {
  let kills = 0;
  let whileProvisioning = 0;
  for (; kills < subscriberKills; kills++) {
    const subscriber = startSubscriber(stack, file);
    await until(() => subscriber.hasHeard || isOver(), {
      what: 'the subscriber hears of something',
      timeoutMs: 120_000,
      everyMs: 20,
    });
    await pause(Math.random() * 100);
    await subscriber.kill();
    if (!isOver()) whileProvisioning += 1;
  }
  return { kills, whileProvisioning };
}

function startSubscriber(stack: Stack, file: string) {
  const args = ['--import', 'tsx', program, `127.0.0.1:${stack.ports.provisioner}`, file];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let hasHeard = false;
  child.stdout.once('data', () => (hasHeard = true));
  return {
    /** Whether it was told of an event since it was started. */
    get hasHeard() {
      return hasHeard;
    },
    kill: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}
