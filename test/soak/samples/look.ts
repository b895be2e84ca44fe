// One look at the pair: at what /proc tells of each process, and at what its metrics say.

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Samples } from '../../../cli/launch/scrape.js';
import type { Stack } from '../../../cli/launch/stack.js';
import { descendantsOf } from '../../bench/measure/processes.js';
import { footprintOf } from '../../fleets/personas/footprint.js';
import type { Figures } from './sample.js';

export const services = ['discovery', 'provisioner'] as const;

export type Pids = Readonly<Record<(typeof services)[number], number>>;

const mib = 2 ** 20;

export async function look(stack: Stack, pids: Pids): Promise<Figures> {
  const [discovery, provisioner] = await Promise.all(services.map((service) => stack.metrics(service)));
  return {
    ...prefixed('discovery', { ...processFigures(pids.discovery), ...runtimeFigures(discovery) }),
    ...(discovery && prefixed('discovery', discoveryFigures(discovery))),
    ...prefixed('provisioner', { ...processFigures(pids.provisioner), ...runtimeFigures(provisioner) }),
    ...(provisioner && prefixed('provisioner', provisionerFigures(provisioner))),
    'provisioner.processes': descendantsOf(pids.provisioner).length,
    'provisioner.eventLogMiB': sizeOf(join(stack.directory, 'provisioner-data', 'events')) / mib,
  };
}

function processFigures(pid: number): Figures {
  const found = footprintOf(pid);
  if (found === undefined) return {};
  const { anonMiB, fileMiB, files, sockets } = found;
  return { anonMiB, fileMiB, files, sockets };
}

function runtimeFigures(samples: Samples | undefined): Figures {
  // A service that has just started has nothing to say of its heap yet.
  const heap = samples?.sum('nodejs_heap_size_used_bytes') ?? 0;
  if (samples === undefined || heap === 0) return {};
  return {
    heapMiB: heap / mib,
    timers: samples.sum('nodejs_active_resources', { type: 'Timeout' }),
    // Since the look before: the service forgets it when it was asked.
    loopLagP99Ms: samples.sum('nodejs_eventloop_lag_p99_seconds') * 1000,
  };
}

function discoveryFigures(samples: Samples): Figures {
  return {
    nodes: samples.sum('slipway_discovery_nodes'),
    ...prefixed('nodes', samples.sumBy('state', 'slipway_discovery_nodes')),
    watchers: samples.sum('slipway_discovery_watchers'),
    refusedReports: samples.sum('slipway_discovery_reports_refused_total'),
  };
}

function provisionerFigures(samples: Samples): Figures {
  const of = (name: string) => samples.sum(`slipway_provisioner_${name}`);
  return {
    hosts: of('hosts'),
    ...prefixed('hosts', samples.sumBy('state', 'slipway_provisioner_hosts')),
    queue: of('queue_entries'),
    oldestQueuedSeconds: of('oldest_queued_seconds'),
    busyWorkers: of('busy_workers'),
    ...prefixed('runs', samples.sumBy('outcome', 'slipway_provisioner_runs_total')),
    confirmed: of('confirmed_total'),
    confirmationsMissed: of('confirmations_missed_total'),
    events: of('events_log_sequence'),
    eventsLost: of('events_lost_total'),
    subscribers: of('events_subscribers'),
  };
}

function prefixed(name: string, figures: Figures | ReadonlyMap<string, number>): Figures {
  const entries = figures instanceof Map ? [...figures] : Object.entries(figures);
  return Object.fromEntries(entries.map(([each, value]) => [`${name}.${each}`, value]));
}

function sizeOf(folder: string): number {
  try {
    return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  } catch {
    return Number.NaN;
  }
}
