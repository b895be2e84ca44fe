// The long run: a fleet of all kinds of nodes, well and not, while calls fail at random and every service is killed
// again and again. Then faults cease, everybody is where it belongs, and nothing is left over.
//
//   PERSONAS_NODES=300 PERSONAS_MINUTES=2 PERSONAS_SEED=7 npm run test:personas

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Stack } from '../../cli/launch/stack.js';
import { until } from '../../cli/launch/until.js';
import { sleep, systemClock } from '../../shared/clock.js';
import { untilConfigured } from '../e2e/confirmed.js';
import { credentialsOf } from '../e2e/credentials-on-disk.js';
import { mixedStamps } from '../e2e/nodes-on-disk.js';
import { scratchFolder } from '../e2e/scratch-folder.js';
import { prepareStack, testHelper } from '../e2e/workspace.js';
import { pairsOf } from './personas/clones.js';
import { missingOf, wrongOf } from './personas/expectations.js';
import { FootprintWatch, services } from './personas/footprint-watch.js';
import { History } from './personas/history.js';
import { isToSettle, leastConfigured, type Machine, machinesOf, weights } from './personas/machine.js';
import { tooHeavy } from './personas/memory.js';
import { Operator } from './personas/operator.js';
import { planOf, swarmStartPart } from './personas/plan.js';
import { repeatsOf } from './personas/repeats.js';
import { leftOnDisk, leftOpen } from './personas/rest.js';
import { seeded } from './personas/seeded.js';
import { sizesOf } from './personas/sizes.js';
import { Site } from './personas/storm.js';
import { summaryOf } from './personas/summary.js';
import { sumOf, tableOf } from './personas/verdict.js';
import { makeWeather } from './personas/weather.js';

const { nodes, minutes, seed } = sizesOf(process.env);
const stormMs = 0.8 * minutes * 60_000;
const calmMs = 0.2 * minutes * 60_000;

/** How long it may take after the calm until all is told: on a quiet machine that is no time. */
const patienceMs = 300_000 + minutes * 60_000;
const restMs = 60_000;

const clock = systemClock;

test(`${nodes} nodes of all kinds under faults and kills for ${minutes} minutes: each ends as it should, and nothing leaks`, {
  timeout: stormMs + calmMs + 2 * patienceMs,
}, async () => {
  process.stdout.write(`${nodes} nodes, ${minutes} minutes, PERSONAS_SEED=${seed}\n`);
  const faults = join(scratchFolder(), 'faults');
  writeFileSync(faults, '');
  const stack = await prepareStack({
    nodes,
    helper: testHelper('stamped-unread.sh'),
    tls: 'required',
    discovery: { interval: '15s', report_interval: '20s', probe_timeout: '10s' },
    provisioner: { interval: '15s', identify_timeout: '10s', workers: 128, backoff_max: '1m' },
    swarm: [
      ...['--personas', weights, '--share-certificate', '--fault-file', faults],
      ...['--start-within', `${Math.round(swarmStartPart * stormMs)}ms`],
    ],
  });
  const temporary = join(stack.directory, 'temporary');
  mkdirSync(temporary);
  vi.stubEnv('TMPDIR', temporary);
  onTestFinished(() => void vi.unstubAllEnvs());
  const site = new Site(stack, clock);
  const operator = await Operator.of(stack);
  for (const service of services) await site.start(service);
  const footprints = new FootprintWatch(site, clock, join(stack.directory, 'footprints.csv'));

  const weather = new AbortController();
  const random = seeded(seed);
  const plan = planOf(random, stormMs);
  const changes = makeWeather(faults, random, clock, weather.signal);
  await site.storm(plan, operator, stormMs).finally(() => weather.abort());
  await changes;

  const calmFrom = clock.monotonic();
  footprints.calm();
  await untilConfigured(stack, leastConfigured(nodes), calmMs + patienceMs);
  await sleep(clock, Math.max(0, calmMs - (clock.monotonic() - calmFrom)));
  await untilNothingMissing(stack);
  site.checkAllRun();
  await operator.pause();
  const left = await untilAtRest(site);
  await footprints.end();

  const machines = await machinesOf(stack, nodes);
  const history = History.read(stack);
  const table = tableOf(machines, history);
  const repeats = machines.filter(isToSettle).map((machine) => {
    return repeatsOf(machine, history.of(machine.identity), site.done);
  });
  const pairs = pairsOf(machines, history, site.done);
  const { memory } = footprints;
  const weathers = await changes;
  process.stdout.write(summaryOf({ table, history, repeats, pairs, done: site.done, memory, weathers }));

  expect(sumOf(table)).toBe(nodes);
  expect(missingOf(machines, history)).toEqual([]);
  expect(wrongOf(machines, history)).toEqual([]);
  expect(repeats.flatMap(({ problems }) => problems)).toEqual([]);
  expect(pairs.problems).toEqual([]);
  expect(history.errors).toEqual([]);
  await expectOfAPiece(stack, machines.filter(isToSettle));
  expect(left).toEqual([]);
  expect(tooHeavy(memory, nodes)).toEqual([]);
  expect(leftOnDisk(stack, machines, temporary)).toEqual([]);
});

/** Resolves when all that has to be told was told, or when that takes too long: what is missing then is told later. */
async function untilNothingMissing(stack: Stack): Promise<void> {
  const look = async () => missingOf(await machinesOf(stack, nodes), History.read(stack)).length === 0;
  await until(look, { what: 'all is told', timeoutMs: patienceMs, everyMs: 5_000 }).catch(() => {});
}

/** With the provisioner paused. @returns what the services hold that they should not, when they let go of no more */
async function untilAtRest(site: Site): Promise<readonly string[]> {
  let left: readonly string[] = [];
  const look = () => {
    left = leftOpen(site);
    return left.length === 0;
  };
  await until(look, { what: 'all is at rest', timeoutMs: restMs, everyMs: 1_000 }).catch(() => {});
  return left;
}

/** Each has one configuration, and key and token that fit, and are no one else's. */
async function expectOfAPiece(stack: Stack, machines: readonly Machine[]): Promise<void> {
  const disks = new Map(machines.map(({ name, disk }) => [name, disk]));
  expect(await mixedStamps(stack, disks)).toEqual([]);
  const credentials = credentialsOf(stack).filter(({ identity }) => disks.has(identity));
  expect(credentials.filter(({ problem }) => problem !== '')).toEqual([]);
  expect(new Set(credentials.map(({ seed: key }) => key)).size).toBe(machines.length);
  expect(new Set(credentials.map(({ jti }) => jti)).size).toBe(machines.length);
}
