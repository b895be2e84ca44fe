// How much memory a service may have when a long run is over.

import type { ServiceName } from '../../../cli/launch/project.js';
import type { Memory } from './footprint-watch.js';

interface Bounds {
  /** Of a process that has done nothing, with room: MiB. */
  readonly idle: number;
  /** For each node, with room: MiB. */
  readonly perNode: number;
}

type BoundsOfServices = Readonly<Record<ServiceName, Bounds>>;

/** Of the heap after a garbage collection: what a service keeps of each node. The swarm is all of its nodes. */
const heap: BoundsOfServices = {
  discovery: { idle: 60, perNode: 0.02 },
  provisioner: { idle: 60, perNode: 0.02 },
  'mock-node': { idle: 60, perNode: 0.05 },
};

/** Of all memory: between two collections a busy heap grows to twice what it keeps, and more, and is not given back. */
const resident: BoundsOfServices = {
  discovery: { idle: 200, perNode: 0.1 },
  provisioner: { idle: 200, perNode: 0.1 },
  'mock-node': { idle: 200, perNode: 0.2 },
};

/**
 * @param memory of each process; the last one of a service counts
 * @returns which services hold too much; empty where none does
 */
export function tooHeavy(memory: readonly Memory[], nodes: number): string[] {
  const last = new Map(memory.map((each) => [each.service, each]));
  return [...last.values()].flatMap(({ service, last: rss, leastHeap = Number.POSITIVE_INFINITY }) => [
    ...told(service, 'of heap', leastHeap, heap[service], nodes),
    ...told(service, 'of memory', rss, resident[service], nodes),
  ]);
}

function told(
  service: string,
  what: string,
  mib: number,
  { idle, perNode }: Bounds,
  nodes: number,
): string[] {
  const most = idle + perNode * nodes;
  return mib <= most
    ? []
    : [`${service}: ${Math.round(mib)} MiB ${what}, where ${Math.round(most)} are enough`];
}
