// A provisioner's watch of discovery in the world: connects, takes the snapshot, follows, and comes back when discovery
// is gone. What sightings/ does over the wire.

import type { NodeEvent as DiscoveryEvent } from '../../../services/discovery/nodes/node-event.js';
import type { Position } from '../../../services/discovery/watch/event-log.js';
import type { NodeEvent, SightedNode } from '../../../services/provisioner/fleet/node-event.js';
import { type Clock, sleep } from '../../../shared/clock.js';
import type { WorldDiscovery } from './discovery.js';

export interface WatchingOptions {
  readonly clock: Clock;
  /** @returns the discovery that runs now; undefined while it is down */
  readonly discovery: () => WorldDiscovery | undefined;
  readonly event: (event: NodeEvent) => void;
  readonly synced: (intervalMs: number) => void;
  readonly lost: () => void;
  /** Aborted when the watch is to end. */
  readonly signal: AbortSignal;
}

/** The address under which it is configured. */
export const discoveryName = 'discovery:7412';

const reconnectMs = 1_000;

/** Watches until the signal is aborted. Never rejects. */
export async function watchDiscovery(options: WatchingOptions): Promise<void> {
  const { clock, signal } = options;
  let position: Position | undefined;
  while (!signal.aborted) {
    await follow(options, position, (at) => {
      position = at;
    });
    if (signal.aborted) return;
    options.lost();
    await sleep(clock, reconnectMs, signal).catch(() => {});
  }
}

async function follow(
  { discovery, event, synced, signal }: WatchingOptions,
  from: Position | undefined,
  reached: (position: Position) => void,
): Promise<void> {
  const service = discovery();
  if (service === undefined) return;
  const { epoch, intervalMs } = service;
  const send: Parameters<WorldDiscovery['watch']>[1] = (item) => {
    if (item.kind !== 'PRESENT') reached({ epoch, revision: item.revision });
    if (item.kind === 'SYNCED') synced(intervalMs);
    else event(eventOf(item.event, epoch));
  };
  await service.watch(from, send, signal).catch(() => {});
}

/** As sightings/ reads it from the wire. */
function eventOf(event: DiscoveryEvent, epoch: string): NodeEvent {
  const node = nodeOf(event.node, epoch);
  switch (event.type) {
    case 'STARTUP':
    case 'SIGHTED':
    case 'UPGRADED':
    case 'SHUTDOWN':
    case 'EXPIRED':
      return { type: event.type, node };
    case 'PROVISIONED':
      return { type: event.type, node, runId: event.runId, configurationDigest: event.configurationDigest };
    case 'CONFLICT':
      return {
        type: event.type,
        node,
        newcomerAddress: event.newcomer.address,
        newcomerBootId: event.newcomer.bootId,
      };
  }
}

function nodeOf(node: DiscoveryEvent['node'], epoch: string): SightedNode {
  const { identity, bootId, address, certificateSha256, source } = node;
  return { identity, bootId, address, certificateSha256, source, discovery: discoveryName, epoch };
}
