// slipway.discovery.v1.NodeDiscoveryService: what discovery's consumers call.

import { status } from '@grpc/grpc-js';
import type { Clock } from '../../../shared/clock.js';
import {
  type DiscoverResponse,
  type ListNodesRequest,
  type ListNodesResponse,
  NodeDiscoveryServiceService,
  type WatchNodesRequest,
  Node as WireNode,
} from '../../../shared/gen/slipway/discovery/v1/discovery.js';
import { RpcError } from '../../../shared/grpc/errors.js';
import { serverStream, unary } from '../../../shared/grpc/handler.js';
import type { Logger } from '../../../shared/logger.js';
import { Turns } from '../../../shared/turns.js';
import { fitting, nameBefore, pageSizeOf, pageSizeProblem, tokenAfter } from '../../../shared/wire/pages.js';
import type { Cycles } from '../cycles/cycles.js';
import { type Lease, nodeOf } from '../leases/lease.js';
import type { Registry } from '../leases/registry.js';
import { pageOf } from '../nodes/page.js';
import type { EventLog } from '../watch/event-log.js';
import { matches, type NodeFilter } from '../watch/filter.js';
import { OvertakenError, watch } from '../watch/watch.js';
import { filterArgument, invalid, positionArgument } from './arguments.js';
import { encodeEvent, encodeSynced, wireNode } from './convert.js';
import { EncodedEvents } from './encoded-events.js';

export interface DiscoveryServiceOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly registry: Registry;
  readonly events: EventLog;
  readonly cycles: Cycles;
  readonly intervalMs: number;
  /** Told when a watch begins (1) and when it ends (-1). */
  readonly watching: (change: 1 | -1) => void;
}

/** The service, but that a watch is written as bytes: watchers share the encoding of what they are told. */
export const discoveryServiceDefinition = {
  ...NodeDiscoveryServiceService,
  watchNodes: { ...NodeDiscoveryServiceService.watchNodes, responseSerialize: (bytes: Buffer) => bytes },
} as const;

/** Makes the service, to be served under {@link discoveryServiceDefinition}. */
export function discoveryService(options: DiscoveryServiceOptions) {
  const { log, events, cycles } = options;
  const encoded = new EncodedEvents(events.epoch);
  const turns = new Turns(options.clock);
  return {
    watchNodes: serverStream<WatchNodesRequest, Buffer>(log, async (request, { signal }, write) => {
      options.watching(1);
      try {
        await watchNodes(options, encoded, request, signal, write);
      } catch (error) {
        throw error instanceof OvertakenError ? overtaken(error) : error;
      } finally {
        options.watching(-1);
      }
    }),
    listNodes: unary(log, (request: ListNodesRequest, { signal }) =>
      turns.take(() => {
        signal.throwIfAborted();
        return listNodes(options.registry, request);
      }),
    ),
    discover: unary(log, (): Promise<DiscoverResponse> => cycles.discover()),
  };
}

function watchNodes(
  { clock, registry, events, intervalMs }: DiscoveryServiceOptions,
  encoded: EncodedEvents,
  request: WatchNodesRequest,
  signal: AbortSignal,
  write: (message: Buffer) => Promise<void>,
): Promise<never> {
  const { epoch } = events;
  return watch({
    clock,
    log: events,
    present: registry,
    filter: filterArgument(request.filter),
    resume: positionArgument(request.resume),
    signal,
    send: (item) => {
      switch (item.kind) {
        case 'HAPPENED':
          return write(encoded.get(item.revision, item.event));
        case 'PRESENT':
          return write(encodeEvent(epoch, item.revision, item.event));
        case 'SYNCED':
          return write(encodeSynced({ epoch, revision: item.revision }, intervalMs));
      }
    },
  });
}

function listNodes(registry: Registry, request: ListNodesRequest): ListNodesResponse {
  const filter = filterArgument(request.filter);
  const page = pageOf(matching(registry.live(), filter), afterOf(request), sizeOf(request));
  const found = page.items.map((lease) => wireNode(nodeOf(lease)));
  const nodes = found.slice(
    0,
    fitting(found, (node) => WireNode.encode(node).finish().length),
  );
  const isLast = !page.more && nodes.length === found.length;
  return { nodes, nextPageToken: isLast ? '' : tokenAfter(nodes.at(-1)?.identity ?? '') };
}

function* matching(leases: Iterable<Lease>, filter: NodeFilter): Generator<Lease> {
  for (const lease of leases) if (matches(filter, lease)) yield lease;
}

function sizeOf({ pageSize }: ListNodesRequest): number {
  const size = pageSizeOf(pageSize);
  if (size === undefined) throw invalid('page_size', pageSizeProblem);
  return size;
}

function afterOf({ pageToken }: ListNodesRequest): string {
  const after = nameBefore(pageToken);
  if (after === undefined) throw invalid('page_token', 'is none that ListNodes gave');
  return after;
}

function overtaken(cause: OvertakenError): RpcError {
  const message = 'the watch read so slowly that it was overtaken: watch again';
  return new RpcError(status.OUT_OF_RANGE, message, { reason: 'WATCH_OVERTAKEN', cause });
}
