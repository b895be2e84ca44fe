// When nodes reported first, by discovery's events. They are read when all is over: while it is measured, nobody but
// the provisioner watches.

import type { Stack } from '../../../../cli/launch/stack.js';
import {
  NodeDiscoveryServiceClient,
  NodeEventType,
  type Position,
  type WatchNodesResponse,
} from '../../../../shared/gen/slipway/discovery/v1/discovery.js';
import { withClient } from './connections.js';

/** @returns the place in discovery's events that they have come to */
export async function positionNow(stack: Stack, tls: boolean): Promise<Position | undefined> {
  return (await watchUntilSynced(stack, tls, undefined, () => {})).position;
}

/** @returns Unix milliseconds of each node's first report after the place, by its name */
export async function firstReports(
  stack: Stack,
  tls: boolean,
  since: Position | undefined,
): Promise<Map<string, number>> {
  const times = new Map<string, number>();
  await watchUntilSynced(stack, tls, since, ({ message }) => {
    if (message?.$case !== 'event') return;
    const { type, node, time } = message.value;
    if (type !== NodeEventType.STARTUP || node === undefined || times.has(node.identity)) return;
    times.set(node.identity, time?.getTime() ?? Number.NaN);
  });
  return times;
}

function watchUntilSynced(
  stack: Stack,
  tls: boolean,
  resume: Position | undefined,
  take: (message: WatchNodesResponse) => void,
) {
  return withClient(NodeDiscoveryServiceClient, stack, 'discovery', tls, (client) => {
    return new Promise<{ readonly position: Position | undefined }>((resolve, reject) => {
      const stream = client.watchNodes({ resume, filter: undefined });
      stream.on('error', reject);
      stream.on('data', (response: WatchNodesResponse) => {
        if (response.message?.$case === 'synced') {
          resolve(response.message.value);
          stream.cancel();
        } else take(response);
      });
    });
  });
}
