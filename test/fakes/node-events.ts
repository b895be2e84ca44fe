// Node events as discovery services would tell them, with short names.

import type {
  Arrival,
  Departure,
  NodeEvent,
  SightedNode,
  Sighting,
} from '../../services/provisioner/fleet/node-event.js';
import { type BootId, type Identity, parseBootId, parseIdentity, type RunId } from '../../shared/identity.js';

/** @throws where the text is no identity */
export function identity(text: string): Identity {
  const parsed = parseIdentity(text);
  if (parsed === undefined) throw new Error(`no identity: ${text}`);
  return parsed;
}

/** The boot of that number. */
export function boot(number: number): BootId {
  const parsed = parseBootId(`00000000-0000-4000-8000-${String(number).padStart(12, '0')}`);
  if (parsed === undefined) throw new Error(`no boot: ${number}`);
  return parsed;
}

/** A node, in its first boot and at a usual place unless said otherwise. */
export function node(name: string, bootNumber = 1, over: Partial<SightedNode> = {}): SightedNode {
  return {
    identity: identity(name),
    bootId: boot(bootNumber),
    address: '192.0.2.1:7430',
    certificateSha256: '',
    source: 'REPORTED',
    discovery: 'discovery-1:7412',
    epoch: 'e1',
    ...over,
  };
}

export function sighted(name: string, bootNumber = 1, over: Partial<SightedNode> = {}): Sighting {
  return { type: 'SIGHTED', node: node(name, bootNumber, over) };
}

export function gone(
  name: string,
  bootNumber = 1,
  type: Departure['type'] = 'SHUTDOWN',
  over: Partial<SightedNode> = {},
): Departure {
  return { type, node: node(name, bootNumber, over) };
}

export function cameUp(
  name: string,
  bootNumber: number,
  runId?: RunId,
  digest = 'd1',
  over: Partial<SightedNode> = {},
): Arrival {
  return { type: 'PROVISIONED', node: node(name, bootNumber, over), runId, configurationDigest: digest };
}

export const everyEventType: readonly NodeEvent['type'][] = [
  'STARTUP',
  'SIGHTED',
  'UPGRADED',
  'SHUTDOWN',
  'EXPIRED',
  'PROVISIONED',
  'CONFLICT',
];
