// Between domain types and generated ones, for what discovery's consumers see.

import {
  NodeEventType,
  NodeSource,
  WatchNodesResponse,
  type NodeEvent as WireEvent,
  type NodeFilter as WireFilter,
  type Node as WireNode,
  type Position as WirePosition,
} from '../../../shared/gen/slipway/discovery/v1/discovery.js';
import { toDuration, toTimestamp } from '../../../shared/wire/time.js';
import type { Node } from '../nodes/node.js';
import type { NodeEvent } from '../nodes/node-event.js';
import type { Position } from '../watch/event-log.js';
import { everyNode, type NodeFilter, newFilter } from '../watch/filter.js';

const none = Buffer.alloc(0);

/** A node as consumers see it. */
export function wireNode(node: Node): WireNode {
  return {
    identity: node.identity,
    address: node.address,
    bootId: node.bootId,
    version: node.version,
    component: node.component,
    certificateSha256: bytes(node.certificateSha256),
    labels: node.labels,
    firstSeen: toTimestamp(node.firstSeen),
    lastSeen: toTimestamp(node.lastSeen),
    source: NodeSource[node.source],
  };
}

function wireEvent(epoch: string, revision: number, event: NodeEvent): WireEvent {
  const arrived = event.type === 'PROVISIONED' ? event : undefined;
  return {
    epoch,
    revision: BigInt(revision),
    time: toTimestamp(event.time),
    type: NodeEventType[event.type],
    node: wireNode(event.node),
    runId: arrived?.runId ?? '',
    configurationDigest: bytes(arrived?.configurationDigest ?? ''),
    newcomer: event.type === 'CONFLICT' ? wireNode(event.newcomer) : undefined,
  };
}

/** @returns the serialised message of a watch that carries the event */
export function encodeEvent(epoch: string, revision: number, event: NodeEvent): Buffer {
  return encodeMessage({ $case: 'event', value: wireEvent(epoch, revision, event) });
}

/** @returns the serialised message of a watch that says that it is complete up to a position */
export function encodeSynced(position: Position, intervalMs: number): Buffer {
  const { epoch, revision } = position;
  return encodeMessage({
    $case: 'synced',
    value: { position: { epoch, revision: BigInt(revision) }, interval: toDuration(intervalMs) },
  });
}

function encodeMessage(message: NonNullable<WatchNodesResponse['message']>): Buffer {
  const { buffer, byteOffset, length } = WatchNodesResponse.encode({ message }).finish();
  // No copy: one would lie in a slab of others, and what is kept would keep all of it.
  return Buffer.from(buffer, byteOffset, length);
}

/** A position of another epoch, or beyond what a number holds exactly, is as good as none. */
export function domainPosition(position: WirePosition | undefined): Position | undefined {
  return position && { epoch: position.epoch, revision: Number(position.revision) };
}

/** A filter that is not set selects every node. */
export function domainFilter(filter: WireFilter | undefined): NodeFilter {
  return filter === undefined ? everyNode : newFilter(filter.components, filter.labels);
}

function bytes(hex: string): Buffer {
  return hex === '' ? none : Buffer.from(hex, 'hex');
}
