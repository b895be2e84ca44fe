// What is measured of either side, so that one is a ratio of the other.

import type { Samples } from '../../../cli/launch/scrape.js';
import type { Cost } from '../measure/processes.js';
import { rank, rounded } from '../statistics.js';

/** Unix milliseconds. */
export interface Times {
  /** The first node is dialled, or its run starts. */
  readonly first: number;
  /** The last node has accepted Restart, or its run has ended. */
  readonly lastRestart: number;
  /** The last node has reported that it came up configured, or is confirmed. */
  readonly lastInService: number;
}

export interface SideFigures {
  /** From the first start to the last restart that a node accepted, and to the last node in service. */
  readonly seconds: { readonly restarted: number; readonly inService: number };
  /** Nodes by these seconds. */
  readonly nodesPerSecond: { readonly restarted: number; readonly inService: number };
  /** From a node's first report to when it is in service: milliseconds. */
  readonly latencyMs: { readonly p50: number; readonly p99: number };
  /** Processor time by part, milliseconds for each node. */
  readonly cpuMsPerNode: Readonly<Record<string, number>>;
  /** By part. */
  readonly peakMiB: Readonly<Record<string, number>>;
  /** Calls that nodes answered, each by the number of nodes; other codes than OK apart. */
  readonly callsPerNode: Readonly<Record<string, number>>;
}

export function figuresOf(
  nodes: number,
  { first, lastRestart, lastInService }: Times,
  measured: {
    readonly latenciesMs: readonly number[];
    readonly costs: Readonly<Record<string, Cost>>;
    readonly swarm: Samples | undefined;
  },
): SideFigures {
  const seconds = { restarted: (lastRestart - first) / 1000, inService: (lastInService - first) / 1000 };
  const ofCosts = (figure: (cost: Cost) => number) =>
    Object.fromEntries(Object.entries(measured.costs).map(([part, cost]) => [part, rounded(figure(cost))]));
  return {
    seconds,
    nodesPerSecond: {
      restarted: rounded(nodes / seconds.restarted),
      inService: rounded(nodes / seconds.inService),
    },
    latencyMs: { p50: rank(measured.latenciesMs, 0.5), p99: rank(measured.latenciesMs, 0.99) },
    cpuMsPerNode: ofCosts(({ cpuMs }) => cpuMs / nodes),
    peakMiB: ofCosts(({ peakMiB }) => peakMiB),
    callsPerNode: callsBy(measured.swarm, nodes),
  };
}

function callsBy(swarm: Samples | undefined, nodes: number): Record<string, number> {
  const calls: Record<string, number> = {};
  for (const [code, count] of swarm?.sumBy('code', 'slipway_mock_node_calls_total') ?? []) {
    if (code !== 'OK') calls[code] = rounded(count / nodes);
  }
  for (const [rpc, count] of swarm?.sumBy('rpc', 'slipway_mock_node_calls_total', { code: 'OK' }) ?? []) {
    calls[rpc] = rounded(count / nodes);
  }
  return calls;
}

/** How long a side may take with so many nodes: far longer than on any machine on which figures mean something. */
export function patienceMs(nodes: number): number {
  return 120_000 + 200 * nodes;
}
