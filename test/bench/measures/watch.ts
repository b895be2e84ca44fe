// What it takes to tell many subscribers, a tenth of which never read: how soon they hear at the pace of a large fleet, and
// how many events a second they can all be told; and what they cost beside a fleet.

import { mkdirSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { freePorts } from '../../../cli/launch/ports.js';
import type { Noted } from '../../fleets/subscribers/crowd.js';
import { type Cost, Costs } from '../measure/processes.js';
import { Program } from '../measure/program.js';
import type { BenchOptions } from '../options.js';
import { rounded } from '../statistics.js';
import { type Beside, measureSubscribers } from './subscribers.js';

export interface Watched {
  readonly subscribers: number;
  readonly stalled: number;
  /** From an event to when a reader had it, at {@link steadyRate} events a second: milliseconds. */
  readonly lagMs: { readonly p50: number; readonly p99: number };
  /** From the first of many events, published as fast as they are written, to when each reader had the last. */
  readonly eventsPerSecond: number;
  readonly deliveriesPerSecond: number;
  /** Of the process with the log, in that time: microseconds for each event and reader. */
  readonly cpuMicrosPerDelivery: number;
  /** Of the process with the log, before anybody watches, and at the most. */
  readonly idleMiB: number;
  readonly peakMiB: number;
}

const usualSizes = [1, 10, 100, 500];

/** Events of about 110 nodes a second. */
const steadyRate = 1_000;
const steadyEvents = 5_000;

/** About as many deliveries whatever the crowd, within bounds. */
const deliveries = 2_000_000;
const fewestEvents = 5_000;
const mostEvents = 200_000;

const patienceMs = 300_000;

/** Where no sizes are given it ends with what subscribers cost beside a fleet. */
export async function measureWatch(
  options: BenchOptions,
  folder: () => string,
  say: (text: string) => void,
): Promise<{ readonly sizes: readonly (Watched | Beside)[] }> {
  const { sizes } = options;
  const measured: Watched[] = [];
  for (const subscribers of sizes.length > 0 ? sizes : usualSizes) {
    const watched = await watch(subscribers, folder());
    measured.push(watched);
    say(
      `${subscribers} subscribers: ${watched.eventsPerSecond} events/s, lag ${JSON.stringify(watched.lagMs)} ms`,
    );
  }
  if (sizes.length > 0) return { sizes: measured };
  return { sizes: [...measured, ...(await measureSubscribers(options, folder, say)).sizes] };
}

async function watch(subscribers: number, folder: string): Promise<Watched> {
  const stalled = Math.floor(subscribers / 10);
  const readers = subscribers - stalled;
  mkdirSync(folder, { recursive: true });
  const { port } = await freePorts(['port']);
  const source = new Program('bench/programs/event-source.ts', [folder, String(port)]);
  let crowd: Program | undefined;
  try {
    await source.line();
    const idleMiB = (new Costs({ source: () => [source.pid] }).now.source as Cost).residentMiB;
    const address = `127.0.0.1:${port}`;
    const started = new Program('fleets/subscribers/crowd.ts', [address, String(readers), String(stalled)]);
    crowd = started;
    await started.line();
    await publish(source, started, steadyRate, steadyEvents);
    const { p50, p99 } = await notes(started);
    const costs = new Costs({ source: () => [source.pid] });
    const events = Math.min(mostEvents, Math.max(fewestEvents, Math.round(deliveries / subscribers)));
    const seconds = await publish(source, started, 0, events);
    const { cpuMs, peakMiB } = costs.now.source as Cost;
    return {
      subscribers,
      stalled,
      lagMs: { p50, p99 },
      eventsPerSecond: rounded(events / seconds),
      deliveriesPerSecond: rounded((events * readers) / seconds),
      cpuMicrosPerDelivery: rounded((cpuMs * 1000) / (events * readers)),
      idleMiB: rounded(idleMiB),
      peakMiB: rounded(peakMiB),
    };
  } finally {
    crowd?.kill();
    source.kill();
  }
}

/** @returns seconds from the first event to when each reader had the last */
async function publish(source: Program, crowd: Program, rate: number, count: number): Promise<number> {
  const began = performance.now();
  source.say(`${rate} ${count}`);
  const last = Number(await source.line());
  while (Math.min(...(await notes(crowd)).counts) < last) {
    if (performance.now() - began > patienceMs) throw new Error(`not all were told of ${last} events`);
    await wait(20);
  }
  return (performance.now() - began) / 1000;
}

function notes(crowd: Program): Promise<Noted> {
  crowd.say('');
  return crowd.json<Noted>();
}
