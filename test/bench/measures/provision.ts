// Provision as a ratio of bare: rounds of both, in turns, so that a machine whose pace changes is as fair to one as to
// the other.

import { personasOf } from '../../../services/mock-node/personas/assignment.js';
import { parseWeights } from '../../../services/mock-node/personas/weights.js';
import type { BenchOptions } from '../options.js';
import { runBare } from '../sides/bare/bare.js';
import { type ProvisionFigures, runProvision } from '../sides/provision/provision.js';
import type { SideFigures } from '../sides/side.js';
import { median, rounded } from '../statistics.js';

export interface Round {
  readonly bare?: SideFigures;
  readonly provision: ProvisionFigures;
  readonly ratios?: Ratios;
}

/** Provision ÷ bare. */
export interface Ratios {
  /** Nodes a second, from the first start to the last node in service; of bare, to the last restart accepted. */
  readonly ratio: number;
  /** Nodes a second, from the first start to the last restart accepted, on both sides: while there is a queue. */
  readonly ratioWhileQueued: number;
  /** Nodes by processor time, the swarm's with it: what the first comes to where all cores are busy. */
  readonly ratioOfAllCpu: number;
  /** The same without the swarm's: what the pair takes, and grpc-js in its place. */
  readonly ratioOfCpu: number;
}

export interface ProvisionMeasure extends Partial<Ratios> {
  /** Of provision, to the last node confirmed: the median. */
  readonly nodesPerMinute: number;
  readonly rounds: readonly Round[];
}

export async function measureProvision(
  { fleet, personas, rounds, keep }: BenchOptions,
  folder: () => string,
  say: (text: string) => void,
): Promise<ProvisionMeasure> {
  const confirmed = personas === undefined ? fleet.nodes : settling(fleet.nodes, personas);
  const done: Round[] = [];
  const provision = () => runProvision(folder(), { fleet, confirmed, personas, keep });
  const bare = () => (personas === undefined ? runBare(folder(), fleet, keep) : Promise.resolve(undefined));
  for (let round = 1; round <= rounds; round++) {
    // Whoever comes second finds a warmer machine.
    const first = round % 2 === 1 ? await bare() : undefined;
    const provisioned = await provision();
    const beside = first ?? (await bare());
    const ratios = beside === undefined ? undefined : ratiosOf(provisioned, beside);
    done.push({
      ...(beside && { bare: beside }),
      provision: provisioned,
      ...(ratios && { ratios }),
    });
    say(`round ${round} of ${rounds}: ${lineOf(provisioned, beside, ratios)}`);
  }
  return { ...medians(done), rounds: done };
}

function ratiosOf(provision: SideFigures, bare: SideFigures): Ratios {
  return {
    ratio: rounded(bare.seconds.restarted / provision.seconds.inService),
    ratioWhileQueued: rounded(bare.seconds.restarted / provision.seconds.restarted),
    ratioOfAllCpu: rounded(cpuOf(bare) / cpuOf(provision)),
    ratioOfCpu: rounded(ownCpuOf(bare) / ownCpuOf(provision)),
  };
}

/** Milliseconds for each node. */
function cpuOf({ cpuMsPerNode }: SideFigures): number {
  return Object.values(cpuMsPerNode).reduce((sum, each) => sum + each, 0);
}

/** The swarm's is no side's own. */
function ownCpuOf(side: SideFigures): number {
  return cpuOf(side) - (side.cpuMsPerNode.swarm ?? 0);
}

function medians(rounds: readonly Round[]): Omit<ProvisionMeasure, 'rounds'> {
  const nodesPerMinute = Math.round(
    60 * median(rounds.map(({ provision }) => provision.nodesPerSecond.inService)),
  );
  const ratios = rounds.flatMap((round) => round.ratios ?? []);
  if (ratios.length === 0) return { nodesPerMinute };
  const of = (name: keyof Ratios) => rounded(median(ratios.map((each) => each[name])));
  return {
    ratio: of('ratio'),
    ratioWhileQueued: of('ratioWhileQueued'),
    ratioOfAllCpu: of('ratioOfAllCpu'),
    ratioOfCpu: of('ratioOfCpu'),
    nodesPerMinute,
  };
}

function lineOf(provision: SideFigures, bare: SideFigures | undefined, ratios: Ratios | undefined): string {
  const own = `${provision.nodesPerSecond.inService} nodes/s`;
  if (bare === undefined || ratios === undefined) return own;
  return `${own}, bare ${bare.nodesPerSecond.restarted}, ratio ${ratios.ratio}`;
}

/** @returns how many nodes of a swarm with these personas are confirmed whatever befalls them */
function settling(nodes: number, weights: string): number {
  const certain = new Set(['healthy', 'slow', 'flapping']);
  return personasOf(nodes, parseWeights(weights)).filter(({ persona }) => certain.has(persona.name)).length;
}
