// What a node costs, and what memory goes up to and comes down to, as fleets grow.

import { setTimeout as wait } from 'node:timers/promises';
import { until } from '../../../cli/launch/until.js';
import type { BenchOptions } from '../options.js';
import { type Provisioned, type ProvisionFigures, withProvisioned } from '../sides/provision/provision.js';
import { rounded } from '../statistics.js';

export interface Grown extends Pick<ProvisionFigures, 'cpuMsPerNode' | 'peakMiB' | 'latencyMs'> {
  readonly nodes: number;
  readonly nodesPerSecond: number;
  readonly failedAttempts: number;
  readonly mostRunsPerNode: number;
  /** The most that was each part's own, and not of files: MiB. */
  readonly peakOwnMiB: Readonly<Record<string, number>>;
  /** Two minutes after the last host was held; discovery still knows all nodes, as configured ones: MiB. */
  readonly afterMiB: Readonly<Record<string, number>>;
  readonly afterOwnMiB: Readonly<Record<string, number>>;
}

const usualSizes = [1_000, 5_000, 20_000, 50_000];

/** Hosts are held for a minute after their run. */
const holdsOverMs = 180_000;

/** V8 collects a heap that has come to rest within a minute, and more of it in the next; the event log does so each minute. */
const restMs = 120_000;

export async function measureGrowth(
  { fleet, sizes, keep }: BenchOptions,
  folder: () => string,
  say: (text: string) => void,
): Promise<{ readonly sizes: readonly Grown[] }> {
  const grown: Grown[] = [];
  for (const nodes of sizes.length > 0 ? sizes : usualSizes) {
    const options = { fleet: { ...fleet, nodes }, discoveryKeeps: 'AS_USUAL', keep } as const;
    const figures = await withProvisioned(folder(), options, (provisioned) => grow(nodes, provisioned));
    grown.push(figures);
    say(
      `${nodes} nodes: ${figures.nodesPerSecond} nodes/s, ${JSON.stringify(figures.cpuMsPerNode)} ms per node`,
    );
  }
  return { sizes: grown };
}

async function grow(nodes: number, { figures, stack, costs, ownPeaksMiB }: Provisioned): Promise<Grown> {
  const noneHeld = async () =>
    ((await stack.metrics('provisioner'))?.sum('slipway_provisioner_hosts') ?? nodes) === 0;
  await until(noneHeld, { what: 'no host held', timeoutMs: holdsOverMs, everyMs: 1_000 });
  await wait(restMs);
  const after = Object.entries(costs());
  const { nodesPerSecond, cpuMsPerNode, peakMiB, latencyMs, runs } = figures;
  return {
    nodes,
    nodesPerSecond: nodesPerSecond.inService,
    cpuMsPerNode,
    peakMiB,
    peakOwnMiB: roundedAll(Object.entries(ownPeaksMiB())),
    afterMiB: roundedAll(after.map(([part, { residentMiB }]) => [part, residentMiB])),
    afterOwnMiB: roundedAll(after.map(([part, { ownMiB }]) => [part, ownMiB])),
    latencyMs,
    failedAttempts: runs.failedAttempts,
    mostRunsPerNode: runs.mostPerNode,
  };
}

function roundedAll(figures: readonly (readonly [string, number])[]): Readonly<Record<string, number>> {
  return Object.fromEntries(figures.map(([name, figure]) => [name, rounded(figure)]));
}
