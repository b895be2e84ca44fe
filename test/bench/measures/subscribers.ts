// What subscribers cost a provisioner that provisions a fleet as fast as it can, and how soon they hear: rounds without
// and with them, in turns.

import type { Stack } from '../../../cli/launch/stack.js';
import { until } from '../../../cli/launch/until.js';
import type { Noted } from '../../fleets/subscribers/crowd.js';
import { Program } from '../measure/program.js';
import type { BenchOptions } from '../options.js';
import { type Provisioned, runProvision, withProvisioned } from '../sides/provision/provision.js';
import type { SideFigures } from '../sides/side.js';
import { median, rounded } from '../statistics.js';

interface Sides {
  readonly alone: number;
  readonly watched: number;
}

/** Figures of provisioning, alone and watched, are medians of rounds. */
export interface Beside {
  readonly nodes: number;
  readonly subscribers: number;
  readonly stalled: number;
  readonly nodesPerSecond: Sides;
  /** Of the provisioner: milliseconds for each node. */
  readonly cpuMsPerNode: Sides;
  /** The latter, watched ÷ alone. */
  readonly ratioOfCpu: { readonly median: number; readonly least: number; readonly most: number };
  /** Of the provisioner, at the most. */
  readonly peakMiB: Sides;
  /** From an event to when a reader had it: milliseconds. */
  readonly lagMs: { readonly p50: number; readonly p99: number; readonly max: number };
  /** Of a round: each reader had all of them. */
  readonly events: number;
  /** Subscribers that still watched at the end, with those that never read: the fewest of a round. */
  readonly left: number;
}

const usualSizes = [100];

/** How long after the last node was confirmed each reader has had all events. */
const patienceMs = 60_000;

export async function measureSubscribers(
  { fleet, sizes, rounds, keep }: BenchOptions,
  folder: () => string,
  say: (text: string) => void,
): Promise<{ readonly sizes: readonly Beside[] }> {
  const measured: Beside[] = [];
  for (const subscribers of sizes.length > 0 ? sizes : usualSizes) {
    const stalled = Math.floor(subscribers / 10);
    const done: Round[] = [];
    for (let round = 1; round <= rounds; round++) {
      const alone = () => runProvision(folder(), { fleet, keep });
      // Whoever comes second finds a warmer machine.
      const first = round % 2 === 1 ? await alone() : undefined;
      const watched = await watch(folder(), { fleet, keep }, subscribers - stalled, stalled);
      const beside = { alone: first ?? (await alone()), watched };
      done.push(beside);
      say(`${subscribers} subscribers, round ${round} of ${rounds}: ${lineOf(beside)}`);
    }
    measured.push({ nodes: fleet.nodes, subscribers, stalled, ...figuresOf(done) });
  }
  return { sizes: measured };
}

interface Watched extends SideFigures {
  readonly noted: Noted;
  readonly events: number;
  readonly left: number;
}

interface Round {
  readonly alone: SideFigures;
  readonly watched: Watched;
}

async function watch(
  directory: string,
  options: Pick<BenchOptions, 'fleet' | 'keep'>,
  readers: number,
  stalled: number,
): Promise<Watched> {
  let crowd: Program | undefined;
  const beforeNodes = async ({ ports, trust }: Stack) => {
    const words = [`127.0.0.1:${ports.provisioner}`, String(readers), String(stalled)];
    const certificates = options.fleet.tls && trust !== undefined ? [trust.certificates] : [];
    crowd = new Program('fleets/subscribers/crowd.ts', [...words, ...certificates]);
    await crowd.line();
  };
  try {
    return await withProvisioned(directory, { ...options, beforeNodes }, async (provisioned) => {
      if (crowd === undefined) throw new Error('nobody watches');
      return await watchedBy(crowd, provisioned);
    });
  } finally {
    crowd?.kill();
  }
}

async function watchedBy(crowd: Program, { figures, stack }: Provisioned): Promise<Watched> {
  const { events } = figures.runs;
  const noted = await until(() => hadAll(crowd, events), {
    what: `${events} events told to each reader`,
    timeoutMs: patienceMs,
  });
  const left = (await stack.metrics('provisioner'))?.sum('slipway_provisioner_events_subscribers') ?? 0;
  return { ...figures, noted, events, left };
}

async function hadAll(crowd: Program, events: number): Promise<Noted | undefined> {
  crowd.say('');
  const noted = await crowd.json<Noted>();
  return Math.min(...noted.counts) >= events ? noted : undefined;
}

function figuresOf(rounds: readonly Round[]): Omit<Beside, 'nodes' | 'subscribers' | 'stalled'> {
  const of = (figure: (round: Round) => number) => rounded(median(rounds.map(figure)));
  const sides = (figure: (side: SideFigures) => number | undefined): Sides => ({
    alone: of(({ alone }) => figure(alone) ?? Number.NaN),
    watched: of(({ watched }) => figure(watched) ?? Number.NaN),
  });
  const ratios = rounds.map(ratioOf);
  const lag = (figure: 'p50' | 'p99' | 'max') => of(({ watched }) => watched.noted[figure]);
  return {
    nodesPerSecond: sides(({ nodesPerSecond }) => nodesPerSecond.inService),
    cpuMsPerNode: sides(({ cpuMsPerNode }) => cpuMsPerNode.provisioner),
    ratioOfCpu: {
      median: rounded(median(ratios)),
      least: rounded(Math.min(...ratios)),
      most: rounded(Math.max(...ratios)),
    },
    peakMiB: sides(({ peakMiB }) => peakMiB.provisioner),
    lagMs: { p50: lag('p50'), p99: lag('p99'), max: lag('max') },
    events: Math.round(median(rounds.map(({ watched }) => watched.events))),
    left: Math.min(...rounds.map(({ watched }) => watched.left)),
  };
}

function ratioOf({ alone, watched }: Round): number {
  return cpuOf(watched) / cpuOf(alone);
}

function cpuOf({ cpuMsPerNode }: SideFigures): number {
  return cpuMsPerNode.provisioner ?? Number.NaN;
}

function lineOf(round: Round): string {
  const { alone, watched } = round;
  const { p50, p99 } = watched.noted;
  return (
    `${watched.nodesPerSecond.inService} nodes/s, ${cpuOf(watched)} ms of CPU per node (alone ` +
    `${alone.nodesPerSecond.inService}, ${cpuOf(alone)}), ratio ${rounded(ratioOf(round))}, lag p50 ${p50}, p99 ${p99} ms`
  );
}
