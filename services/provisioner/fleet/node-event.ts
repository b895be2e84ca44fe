// What a discovery service tells the fleet, in domain types. sightings/ converts it from the wire.

import type { BootId, Identity, RunId } from '../../../shared/identity.js';

/** How discovery knows of a node (design, section 4). */
export type NodeSource = 'REPORTED' | 'PROBED';

/** A node as a discovery service describes it. */
export interface SightedNode {
  readonly identity: Identity;
  readonly bootId: BootId;
  /** IP address and port, IPv6 in brackets. */
  readonly address: string;
  /** Hex SHA-256 of the boot certificate (DER); empty where the node has none. */
  readonly certificateSha256: string;
  readonly source: NodeSource;
  /** The discovery service that named it: its address as configured, or `operator`. */
  readonly discovery: string;
  /** Of the process that named it: one that was restarted has met nobody. Empty for `operator`. */
  readonly epoch: string;
}

/** The node is there and wants provisioning. */
export interface Sighting {
  readonly type: 'STARTUP' | 'SIGHTED' | 'UPGRADED';
  readonly node: SightedNode;
}

/** The node is gone. */
export interface Departure {
  readonly type: 'SHUTDOWN' | 'EXPIRED';
  readonly node: SightedNode;
}

/** The node came up configured. */
export interface Arrival {
  readonly type: 'PROVISIONED';
  readonly node: SightedNode;
  /** The run whose configuration it came up with; undefined where it named none. */
  readonly runId: RunId | undefined;
  /** Hex SHA-256 of that configuration; empty where it named none. */
  readonly configurationDigest: string;
}

/** Another machine spoke in the name of a node that is there. */
export interface Conflict {
  readonly type: 'CONFLICT';
  readonly node: SightedNode;
  /** Address of the newcomer, which is not offered. */
  readonly newcomerAddress: string;
  /** Undefined where discovery did not name it. */
  readonly newcomerBootId: BootId | undefined;
}

export type NodeEvent = Sighting | Departure | Arrival | Conflict;
