// How many reports discovery takes, and what it holds of each node that lives.

import { setTimeout as wait } from 'node:timers/promises';
import type { Stack } from '../../../cli/launch/stack.js';
import { dispose, prepareStack } from '../fleet/stack.js';
import { type Cost, Costs, type Parts } from '../measure/processes.js';
import { Program } from '../measure/program.js';
import type { BenchOptions, FleetOptions } from '../options.js';
import type { StormPlan } from '../programs/report-storm.js';
import { rounded } from '../statistics.js';

export interface Reported {
  readonly nodes: number;
  /** Reports a second that discovery took: the first of each node, and those that it repeats. */
  readonly perSecond: { readonly startup: number; readonly alive: number };
  /** Of discovery: microseconds for each report. */
  readonly cpuMicros: { readonly startup: number; readonly alive: number };
  /** What discovery's heap grew by, by the number of nodes: KiB. */
  readonly heapKiBPerNode: number;
  /** The same of all its memory at the most. */
  readonly residentKiBPerNode: number;
  readonly peakMiB: number;
}

const usualSizes = [1_000, 10_000, 50_000];

/** Reports after the first of each node: enough for the heap to be collected. */
const fewestRounds = 3;
const fewestReports = 40_000;

/** What has reported so often that the heap is that of an idle service. */
const warmingNodes = 100;

export async function measureRegistry(
  { fleet, sizes, keep }: BenchOptions,
  folder: () => string,
  say: (text: string) => void,
): Promise<{ readonly sizes: readonly Reported[] }> {
  const measured: Reported[] = [];
  for (const nodes of sizes.length > 0 ? sizes : usualSizes) {
    const reported = await report(folder(), { ...fleet, nodes }, keep);
    measured.push(reported);
    say(
      `${nodes} nodes: ${reported.perSecond.alive} reports/s, ${reported.heapKiBPerNode} KiB of heap for each`,
    );
  }
  return { sizes: measured };
}

async function report(folder: string, fleet: FleetOptions, keep: boolean): Promise<Reported> {
  const { nodes } = fleet;
  const stack = await prepareStack(folder, fleet);
  try {
    const { pid } = await stack.start('discovery');
    const parts = { discovery: () => [pid] };
    const idle = await storm(stack, { ...fleet, nodes: warmingNodes }, 'warming.swarm.local', parts);
    const before = new Costs(parts).now.discovery as Cost;
    const { startup, alive, leastHeapMiB } = await storm(stack, fleet, 'node.swarm.local', parts);
    const after = new Costs(parts).now.discovery as Cost;
    return {
      nodes,
      perSecond: { startup: rounded(startup.perSecond), alive: rounded(alive.perSecond) },
      cpuMicros: { startup: rounded(startup.cpuMicros), alive: rounded(alive.cpuMicros) },
      heapKiBPerNode: rounded(((leastHeapMiB - idle.leastHeapMiB) * 1024) / nodes),
      residentKiBPerNode: rounded(((after.peakMiB - before.residentMiB) * 1024) / nodes),
      peakMiB: rounded(after.peakMiB),
    };
  } finally {
    dispose(stack, keep);
  }
}

/** Has nodes report again and again, for as long as it takes discovery's heap to be collected. */
async function storm(stack: Stack, { nodes, tls }: FleetOptions, name: string, parts: Parts) {
  const { ports, trust } = stack;
  const discovery = `127.0.0.1:${ports.nodes}`;
  const plan: StormPlan = { discovery, nodes, name, tls, tokenFile: trust?.provisioningToken };
  const program = new Program('bench/programs/report-storm.ts', [JSON.stringify(plan)]);
  try {
    await program.line();
    const startup = await rounds(program, nodes, 1, parts);
    const heap = leastHeap(stack);
    const count = Math.max(fewestRounds, Math.ceil(fewestReports / nodes));
    const alive = await rounds(program, nodes, count, parts);
    return { startup, alive, leastHeapMiB: await heap() };
  } finally {
    program.kill();
  }
}

/** Has all nodes report so many times. */
async function rounds(program: Program, nodes: number, count: number, parts: Parts) {
  const costs = new Costs(parts);
  let seconds = 0;
  for (let round = 1; round <= count; round++) {
    program.say('');
    seconds += Number(await program.line());
  }
  const reports = count * nodes;
  return { perSecond: reports / seconds, cpuMicros: (1000 * (costs.now.discovery?.cpuMs ?? 0)) / reports };
}

/** Looks again and again: the least is what is left after a collection. @returns ends it and gives the least, MiB */
function leastHeap(stack: Stack): () => Promise<number> {
  const over = new AbortController();
  const looking = (async () => {
    let least = Number.POSITIVE_INFINITY;
    while (!over.signal.aborted) {
      least = Math.min(least, await heapOf(stack));
      await wait(500, undefined, { signal: over.signal }).catch(() => {});
    }
    return least;
  })();
  return () => {
    over.abort();
    return looking;
  };
}

/** @returns MiB */
async function heapOf(stack: Stack): Promise<number> {
  const bytes = (await stack.metrics('discovery'))?.sum('nodejs_heap_size_used_bytes');
  return bytes === undefined || bytes === 0 ? Number.POSITIVE_INFINITY : bytes / 2 ** 20;
}
