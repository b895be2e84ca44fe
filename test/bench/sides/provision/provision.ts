// One round of provision: discovery and provisioner as they are built, with real configuration, on a swarm, until all
// nodes are confirmed.

import type { Stack } from '../../../../cli/launch/stack.js';
import { until } from '../../../../cli/launch/until.js';
import { dispose, type KeptEvents, prepareStack } from '../../fleet/stack.js';
import { type RunningSwarm, startSwarm } from '../../fleet/swarm.js';
import { type Cost, Costs, descendantsOf, OwnPeaks, type Parts } from '../../measure/processes.js';
import type { FleetOptions } from '../../options.js';
import { figuresOf, patienceMs, type SideFigures } from '../side.js';
import { type Course, readCourse } from './course.js';
import { firstReports, positionNow } from './first-reports.js';

export interface ProvisionFigures extends SideFigures {
  readonly runs: Course['runs'];
}

/** A stack whose nodes are all confirmed, and which still runs. */
export interface Provisioned {
  readonly figures: ProvisionFigures;
  readonly stack: Stack;
  readonly pids: { readonly discovery: number; readonly provisioner: number };
  /** What its parts hold and have cost by now. */
  costs(): Readonly<Record<string, Cost>>;
  /** The most that was each part's own memory: MiB. */
  ownPeaksMiB(): Readonly<Record<string, number>>;
}

export interface ProvisionOptions {
  readonly fleet: FleetOptions;
  /** How many nodes are to be confirmed: all of them, unless some have personas with which they never are. */
  readonly confirmed?: number;
  readonly personas?: string | undefined;
  /** Where discovery does not keep all of its events, nodes are late from when they were queued, not from their first report. */
  readonly discoveryKeeps?: KeptEvents;
  readonly keep: boolean;
  /** What is done once the services are there and the nodes are not; what it costs does not count. */
  readonly beforeNodes?: (stack: Stack) => Promise<void>;
}

export async function runProvision(directory: string, options: ProvisionOptions): Promise<ProvisionFigures> {
  return await withProvisioned(directory, options, async ({ figures }) => figures);
}

/** Gives the stack to `use`; after that it is ended, and its folder removed unless it is to be kept. */
export async function withProvisioned<T>(
  directory: string,
  { fleet, personas, keep, beforeNodes, discoveryKeeps = 'ALL', confirmed = fleet.nodes }: ProvisionOptions,
  use: (provisioned: Provisioned) => Promise<T>,
): Promise<T> {
  const { tls } = fleet;
  const stack = await prepareStack(directory, fleet, discoveryKeeps);
  let swarm: RunningSwarm | undefined;
  try {
    const discovery = await stack.start('discovery');
    const provisioner = await stack.start('provisioner');
    await beforeNodes?.(stack);
    const begun = await positionNow(stack, tls);
    const running = await startSwarm(stack, fleet, personas);
    swarm = running;
    const parts: Parts = {
      discovery: () => [discovery.pid],
      provisioner: () => [provisioner.pid],
      helper: () => descendantsOf(provisioner.pid),
      swarm: () => [running.pid],
    };
    const costs = new Costs(parts);
    using peaks = new OwnPeaks(parts);
    await untilConfirmed(stack, running, confirmed);
    const spent = costs.now;
    const samples = await running.metrics();
    const course = await readCourse(stack, tls);
    const reported: ReadonlyMap<string, number> =
      discoveryKeeps === 'ALL' ? await firstReports(stack, tls, begun) : new Map();
    const latenciesMs = [...course.confirmedAt].map(
      ([identity, at]) => at - (reported.get(identity) ?? course.queuedAt.get(identity) ?? Number.NaN),
    );
    const measured = { latenciesMs, costs: spent, swarm: samples };
    const figures = { ...figuresOf(confirmed, course.times, measured), runs: course.runs };
    const pids = { discovery: discovery.pid, provisioner: provisioner.pid };
    return await use({ figures, stack, pids, costs: () => costs.now, ownPeaksMiB: () => peaks.now });
  } finally {
    await swarm?.kill();
    dispose(stack, keep);
  }
}

/** The swarm is asked while there is much to do: its few metrics cost little, and the provisioner's cost it time. */
async function untilConfirmed(stack: Stack, swarm: RunningSwarm, nodes: number): Promise<void> {
  const timeoutMs = patienceMs(nodes);
  let last = 'none';
  const wait = (what: string, everyMs: number, look: () => Promise<boolean>) =>
    until(look, { what: `${nodes} nodes ${what}`, timeoutMs, everyMs }).catch((error: Error) => {
      throw new Error(`${error.message}; ${last}`);
    });
  await wait('configured', 500, async () => {
    if (stack.lost !== undefined) throw new Error(`${stack.lost.service} has ended: ${stack.lost.logFile}`);
    const count = (await swarm.metrics())?.sum('slipway_mock_node_nodes', { mode: 'configured' }) ?? 0;
    last = `${count} configured`;
    return count >= nodes;
  });
  await wait('confirmed', 100, async () => {
    const count = (await stack.metrics('provisioner'))?.sum('slipway_provisioner_confirmed_total') ?? 0;
    last = `${count} confirmed`;
    return count >= nodes;
  });
}
