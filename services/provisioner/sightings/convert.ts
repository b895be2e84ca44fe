// What discovery sends, as the fleet understands it. The one place of the provisioner where generated types
// of discovery end.

import {
  NodeEventType,
  type NodeEvent as WireEvent,
  NodeSource as WireSource,
} from '../../../shared/gen/slipway/discovery/v1/discovery.js';
import { parseBootId, parseIdentity, parseRunId } from '../../../shared/identity.js';
import { parseHostPort, parseIp } from '../../../shared/net/addresses.js';
import type { NodeEvent, SightedNode } from '../fleet/node-event.js';

/** An event that cannot be understood. The message says what is wrong with it. */
export class InvalidEventError extends Error {
  override readonly name = 'InvalidEventError';
}

/**
 * @param discovery the service that sent it, as configured
 * @throws InvalidEventError
 */
export function toNodeEvent(event: WireEvent, discovery: string): NodeEvent {
  const node = toNode(event, discovery);
  switch (event.type) {
    case NodeEventType.STARTUP:
      return { type: 'STARTUP', node };
    case NodeEventType.SIGHTED:
      return { type: 'SIGHTED', node };
    case NodeEventType.UPGRADED:
      return { type: 'UPGRADED', node };
    case NodeEventType.SHUTDOWN:
      return { type: 'SHUTDOWN', node };
    case NodeEventType.EXPIRED:
      return { type: 'EXPIRED', node };
    case NodeEventType.PROVISIONED:
      return {
        type: 'PROVISIONED',
        node,
        runId: parseRunId(event.runId),
        configurationDigest: event.configurationDigest.length === 32 ? hex(event.configurationDigest) : '',
      };
    case NodeEventType.CONFLICT:
      return {
        type: 'CONFLICT',
        node,
        newcomerAddress: event.newcomer?.address ?? '',
        newcomerBootId: parseBootId(event.newcomer?.bootId ?? ''),
      };
    default:
      throw new InvalidEventError(`its type ${event.type} is not known`);
  }
}

function toNode({ node, epoch }: WireEvent, discovery: string): SightedNode {
  if (node === undefined) throw new InvalidEventError('it has no node');
  const identity = parseIdentity(node.identity);
  if (identity === undefined) throw new InvalidEventError(`${quote(node.identity)} is no identity`);
  const bootId = parseBootId(node.bootId);
  if (bootId === undefined) throw new InvalidEventError(`${quote(node.bootId)} is no boot id`);
  if (!isIpAndPort(node.address)) {
    throw new InvalidEventError(`${quote(node.address)} is no IP address and port`);
  }
  const hash = node.certificateSha256;
  if (hash.length !== 0 && hash.length !== 32) {
    throw new InvalidEventError(`its certificate_sha256 has ${hash.length} bytes`);
  }
  return {
    identity,
    bootId,
    address: node.address,
    certificateSha256: hex(hash),
    source: node.source === WireSource.PROBED ? 'PROBED' : 'REPORTED',
    discovery,
    epoch,
  };
}

function isIpAndPort(address: string): boolean {
  try {
    const { host, port } = parseHostPort(address);
    return port > 0 && parseIp(host) !== undefined;
  } catch {
    return false;
  }
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

function quote(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}
