// How many nodes there may be, in all and from one source (design, section 4).

import type { Announcement, Refused } from '../nodes/announcement.js';
import type { Lease } from './lease.js';
import type { LeaseTable } from './lease-table.js';

export interface BoundsOptions {
  /** Nodes in provisioning mode, and as many configured ones. */
  readonly maxNodes: number;
  /** Leases from one source; 0: no limit. */
  readonly maxNodesPerSource: number;
}

/** What the bounds need to know of an announcement. */
export type Counted = Pick<Announcement, 'type' | 'source' | 'origin' | 'reply'>;

export class Bounds {
  readonly #options: BoundsOptions;
  readonly #leases: LeaseTable;

  constructor(options: BoundsOptions, leases: LeaseTable) {
    this.#options = options;
    this.#leases = leases;
  }

  /**
   * @param lease what the identity has so far
   * @returns why the announcement finds no room; undefined where it does
   */
  refusal(lease: Lease | undefined, announcement: Counted): Refused | undefined {
    if (announcement.type === 'SHUTDOWN') return undefined;
    const { maxNodes, maxNodesPerSource } = this.#options;
    const retryAfterMs = announcement.reply.nextReportMs;
    const counted = lease !== undefined && lease.phase !== 'GONE';
    const phase = announcement.type === 'PROVISIONED' ? 'CONFIGURED' : 'PROVISIONING';
    if (!counted && this.#leases.count(phase) >= maxNodes) {
      const message = `discovery holds ${maxNodes} nodes already, which is its limit (max_nodes)`;
      return { kind: 'REFUSED', reason: 'NODES_LIMIT', message, retryAfterMs };
    }
    const { origin, source } = announcement;
    if (source === 'PROBED' || maxNodesPerSource === 0 || (counted && lease.origin === origin)) {
      return undefined;
    }
    if (this.#leases.countFrom(origin) < maxNodesPerSource) return undefined;
    const message = `${maxNodesPerSource} nodes report from ${origin} already, which is the limit (max_nodes_per_source)`;
    return { kind: 'REFUSED', reason: 'SOURCE_NODES_LIMIT', message, retryAfterMs };
  }

  /** Whether a boot that is gone can be remembered. */
  get roomForGone(): boolean {
    return this.#leases.count('GONE') < this.#options.maxNodes;
  }
}
