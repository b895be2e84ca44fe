// What watchers are told of leases: some events a boot has only once, and an arrival that is repeated is the same
// one. When there is an event is the registry's matter.

import type { Clock } from '../../../shared/clock.js';
import type { Announcement } from '../nodes/announcement.js';
import { isSameBoot } from '../nodes/boot.js';
import type { Arrival, Departure, NodeEvent, Sighting } from '../nodes/node-event.js';
import { announcedNode, type Lease, nodeOf } from './lease.js';
import type { ProvisionedNodes } from './provisioned.js';
import type { Transition } from './transition.js';

export class LeaseEvents {
  readonly #clock: Clock;
  readonly #provisioned: ProvisionedNodes;
  readonly #tell: (event: NodeEvent) => void;

  /** @param tell told of each event, in order */
  constructor(clock: Clock, provisioned: ProvisionedNodes, tell: (event: NodeEvent) => void) {
    this.#clock = clock;
    this.#provisioned = provisioned;
    this.#tell = tell;
  }

  /** Tells of an event that may come any number of times. */
  tell(type: (Sighting | Departure)['type'], lease: Lease): void {
    this.#tell({ type, time: this.#clock.now(), node: nodeOf(lease) });
  }

  /** Tells of an event, unless its boot has had it. */
  report(lease: Lease, from: Announcement, event: Transition['event']): void {
    if (event === undefined) return;
    switch (event) {
      case 'STARTUP':
        if (!lease.startedUp) this.tell('STARTUP', lease);
        lease.startedUp = true;
        return;
      case 'UPGRADED':
        if (!lease.upgraded) this.tell('UPGRADED', lease);
        lease.upgraded = true;
        return;
      case 'PROVISIONED':
        this.#arrive(lease, from);
        return;
      case 'SIGHTED':
      case 'SHUTDOWN':
        this.tell(event, lease);
        return;
    }
  }

  /** Tells of a boot that speaks for an identity which another one holds. */
  conflict(incumbent: Lease, newcomer: Announcement): void {
    const time = this.#clock.now();
    this.#tell({ type: 'CONFLICT', time, node: nodeOf(incumbent), newcomer: announcedNode(newcomer, time) });
  }

  /** A repeat is the same event: by its id, also of a later boot; by what it says, of the same boot. */
  #arrive(lease: Lease, from: Announcement): void {
    const { eventId, runId, configurationDigest } = from;
    const kept = this.#provisioned.get(lease.identity);
    const repeated = lease.arrivalEventId === eventId || kept?.eventId === eventId;
    lease.arrivalEventId = eventId;
    if (repeated || (kept !== undefined && saysTheSame(kept.arrival, from))) return;
    const time = this.#clock.now();
    const node = nodeOf(lease);
    const arrival: Arrival = { type: 'PROVISIONED', time, node, runId, configurationDigest };
    this.#provisioned.add(eventId, arrival);
    this.#tell(arrival);
  }
}

function saysTheSame(arrival: Arrival, from: Announcement): boolean {
  return (
    isSameBoot(arrival.node, from) &&
    arrival.runId === from.runId &&
    arrival.configurationDigest === from.configurationDigest
  );
}
