// What discovery tells its watchers. The revision is the place of the event in the log; it is not part of it.

import type { Configured, Node } from './node.js';

/** The node is there and wants provisioning. */
export interface Sighting {
  readonly type: 'STARTUP' | 'SIGHTED' | 'UPGRADED';
  /** Unix milliseconds, by discovery's clock; so in all events. */
  readonly time: number;
  readonly node: Node;
}

/** The boot is gone: it said so, or was not heard of for as long as its lease. */
export interface Departure {
  readonly type: 'SHUTDOWN' | 'EXPIRED';
  readonly time: number;
  readonly node: Node;
}

/** The node came up configured. */
export interface Arrival extends Configured {
  readonly type: 'PROVISIONED';
  readonly time: number;
  readonly node: Node;
}

/** Another machine spoke in the name of a node that is there. */
export interface Conflict {
  readonly type: 'CONFLICT';
  readonly time: number;
  /** The incumbent. */
  readonly node: Node;
  readonly newcomer: Node;
}

export type NodeEvent = Sighting | Departure | Arrival | Conflict;
