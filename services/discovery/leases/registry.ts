// The registry of nodes: takes what boots say of themselves, gives each identity to one of them, and tells of
// what happened (design, section 4). Everything in it is in memory and O(1) per report.

import type { Clock } from '../../../shared/clock.js';
import type { Identity } from '../../../shared/identity.js';
import type { Announcement, Outcome, Report } from '../nodes/announcement.js';
import { type Boot, isSameBoot } from '../nodes/boot.js';
import type { NodeEvent } from '../nodes/node-event.js';
import { Bounds, type BoundsOptions } from './bounds.js';
import { claimOf, otherCertificate } from './claim.js';
import { type ContestOptions, Contests } from './contests.js';
import { Expiry } from './expiry.js';
import { handOver, type Lease, newLease, refresh } from './lease.js';
import { LeaseEvents } from './lease-events.js';
import { LeaseTable } from './lease-table.js';
import { ProvisionedNodes } from './provisioned.js';
import type { SightingSlots } from './sighting-slots.js';
import { type Before, transition } from './transition.js';

export interface RegistryOptions extends BoundsOptions, Omit<ContestOptions, 'clock'> {
  readonly clock: Clock;
  readonly provisionedRetentionMs: number;
  readonly slots: SightingSlots;
  /** Told of each event, in order. */
  readonly tell: (event: NodeEvent) => void;
}

/** Judgement of a report before anything is spent on it. */
export type Standing =
  /** What is due whatever the report's address is. */
  | Outcome
  /** `urgent`: not to be turned away for pace, for its node stops, or would be forgotten. */
  | {
      readonly kind: 'NEW';
      readonly urgent: boolean;
      /** Of a node that is known: what it may be told to wait, so that it is heard again before its lease ends. */
      readonly longestWaitMs?: number;
    };

/** How long a boot that said that it stops is remembered: milliseconds. */
const goneMs = 30_000;

export class Registry {
  readonly #clock: Clock;
  readonly #events: LeaseEvents;
  readonly #slots: SightingSlots;
  readonly #leases: LeaseTable;
  readonly #bounds: Bounds;
  readonly #expiry: Expiry<Lease>;
  readonly #provisioned: ProvisionedNodes;
  readonly #contests: Contests;

  constructor(options: RegistryOptions) {
    const { clock, slots } = options;
    this.#clock = clock;
    this.#slots = slots;
    this.#leases = new LeaseTable(slots);
    this.#bounds = new Bounds(options, this.#leases);
    this.#expiry = new Expiry(clock);
    this.#provisioned = new ProvisionedNodes(clock, options.provisionedRetentionMs, options.maxNodes);
    this.#events = new LeaseEvents(clock, this.#provisioned, options.tell);
    this.#contests = new Contests(options, {
      lease: (identity) => this.#leases.get(identity),
      won: (newcomer, tell) => this.#won(newcomer, tell),
      stood: (incumbent, newcomer, tell) => this.#stood(incumbent, newcomer, tell),
    });
  }

  /**
   * Judges a report by what was last heard of its boot, and by whether there is room for it.
   *
   * @param report with whom it is counted to, and what its node would be told
   */
  standing(report: Report & Pick<Announcement, 'origin' | 'reply'>): Standing {
    const lease = this.#leases.get(report.identity);
    const speaker = { ...report, source: 'REPORTED', address: lease?.address ?? '' } as const;
    const claim = claimOf(lease, speaker);
    const unlessFull = () =>
      this.#bounds.refusal(lease, speaker) ?? ({ kind: 'NEW', urgent: false } as const);
    switch (claim.kind) {
      case 'REPEAT':
        return { kind: 'ACCEPTED', reply: claim.reply };
      case 'REFUSED':
        return claim;
      case 'HOLDER':
        return {
          kind: 'NEW',
          urgent: report.type === 'SHUTDOWN' || this.#endsSoon(claim.lease),
          // Whoever is told to wait may wait up to as long again (design, section 4).
          longestWaitMs: Math.floor(this.#expiry.remaining(claim.lease) / 3),
        };
      case 'CONTEST':
        return this.#contests.known(report.identity, speaker) ?? unlessFull();
      case 'FREE':
        return unlessFull();
      case 'IMPOSTOR':
      case 'ASIDE':
        return { kind: 'NEW', urgent: false };
    }
  }

  /** Takes what a boot says of itself, in a report or in its answer to a probe. */
  take(announcement: Announcement): Outcome {
    const lease = this.#leases.get(announcement.identity);
    const claim = claimOf(lease, announcement);
    switch (claim.kind) {
      case 'REPEAT':
        return { kind: 'ACCEPTED', reply: claim.reply };
      case 'REFUSED':
        return claim;
      case 'FREE': {
        const refusal = this.#bounds.refusal(lease, announcement);
        if (refusal !== undefined) return refusal;
        this.#occupy(announcement);
        break;
      }
      case 'CONTEST': {
        const refusal = this.#bounds.refusal(lease, announcement);
        if (refusal !== undefined) return refusal;
        this.#contests.challenge(claim.lease, announcement);
        break;
      }
      case 'HOLDER':
        this.#hear(claim.lease, announcement);
        break;
      case 'IMPOSTOR':
        if (this.#bounds.refusal(lease, announcement) === undefined) {
          this.#contests.challenge(claim.lease, announcement);
        }
        return otherCertificate;
      case 'ASIDE':
        if (claim.lease.phase !== 'GONE') this.#contests.withdraw(claim.lease, announcement);
        break;
    }
    return { kind: 'ACCEPTED', reply: announcement.reply };
  }

  /** The agent at a probed address does not take configuration: what was found there before is over. */
  probedElsewise(identity: Identity, boot: Boot, address: string): void {
    const lease = this.#leases.get(identity);
    if (lease?.source !== 'PROBED' || lease.phase !== 'PROVISIONING' || lease.address !== address) return;
    this.#remove(lease, isSameBoot(lease, boot) ? 'SHUTDOWN' : 'EXPIRED');
  }

  /** Sights the live nodes of one slot. @returns how many there were */
  sightSlot(index: number): number {
    let sighted = 0;
    for (const lease of this.#slots.members(index)) {
      this.sight(lease);
      sighted++;
    }
    return sighted;
  }

  /** Tells that a live node is there and wants provisioning. */
  sight(lease: Lease): void {
    this.#events.tell('SIGHTED', lease);
  }

  /** The live nodes, which may be walked slowly ({@link LeaseTable.live}). */
  live(): Iterable<Lease> {
    return this.#leases.live();
  }

  /** What came up configured of late, which may be walked slowly. */
  arrivals(): Iterable<NodeEvent> {
    return this.#provisioned.arrivals();
  }

  /** Lets leases expire and goes on with contests. To be called about once a second. */
  tick(leasesStandStill = false): void {
    this.#expiry.tick((lease) => this.#remove(lease, 'EXPIRED'), leasesStandStill);
    this.#provisioned.tick();
    this.#contests.tick();
  }

  /** How many nodes are live. */
  get liveCount(): number {
    return this.#leases.count('PROVISIONING');
  }

  /** How many nodes came up configured and still say so. */
  get configuredCount(): number {
    return this.#leases.count('CONFIGURED');
  }

  /** How many nodes report. */
  get reporting(): number {
    return this.#leases.reporting;
  }

  #won(newcomer: Announcement, tell: boolean): void {
    const incumbent = this.#leases.get(newcomer.identity);
    if (tell && incumbent !== undefined) this.#events.conflict(incumbent, newcomer);
    this.#occupy(newcomer);
  }

  #stood(incumbent: Lease, newcomer: Announcement, tell: boolean): void {
    incumbent.lastSeen = this.#clock.now();
    this.#expiry.extend(incumbent, incumbent.reply.leaseMs);
    if (tell) this.#events.conflict(incumbent, newcomer);
  }

  /** Gives the lease of an identity to whoever announces itself. */
  #occupy(to: Announcement): void {
    const now = this.#clock.now();
    let lease = this.#leases.get(to.identity);
    const next = transition(this.#before(lease, to), to.type);
    const { phase } = next;
    const event = hasMoved(lease, to) && phase === 'PROVISIONING' ? 'SIGHTED' : next.event;
    if (lease === undefined) {
      // Nobody heard of this boot from here, and whether it is one of that node's nobody can tell: the word that
      // it stops is kept, against its late reports, and told to no one.
      if (phase === 'GONE' && !this.#bounds.roomForGone) return;
      lease = newLease(to, phase, now);
      this.#leases.add(lease);
      if (phase === 'GONE') {
        this.#expiry.schedule(lease, goneMs);
        return;
      }
    } else {
      const held = lease;
      this.#leases.change(held, () => handOver(held, to, phase, now));
    }
    this.#expiry.schedule(lease, phase === 'GONE' ? goneMs : to.reply.leaseMs);
    this.#events.report(lease, to, event);
  }

  #before(lease: Lease | undefined, to: Announcement): Before {
    if (lease !== undefined && isSameBoot(lease, to)) return lease.phase;
    const arrived = this.#provisioned.get(to.identity)?.arrival.node;
    return arrived !== undefined && isSameBoot(arrived, to) ? 'CONFIGURED' : 'NEW';
  }

  /** The holder of a lease says something. */
  #hear(lease: Lease, from: Announcement): void {
    const { phase, event } = transition(lease.phase, from.type);
    const wasProbed = lease.source === 'PROBED';
    this.#leases.change(lease, () => {
      refresh(lease, from, this.#clock.now());
      lease.phase = phase;
      lease.returnsTo = phase === 'GONE' ? lease.address : '';
    });
    if (phase === 'GONE') this.#expiry.schedule(lease, goneMs);
    else if (wasProbed || from.source === 'PROBED') this.#expiry.extend(lease, lease.reply.leaseMs);
    else this.#expiry.schedule(lease, lease.reply.leaseMs);
    this.#events.report(lease, from, event);
  }

  #remove(lease: Lease, why: 'SHUTDOWN' | 'EXPIRED'): void {
    this.#expiry.cancel(lease);
    this.#leases.remove(lease);
    if (lease.phase === 'PROVISIONING') this.#events.tell(why, lease);
  }

  /** Two of the three reports that a lease has time for are missing. */
  #endsSoon(lease: Lease): boolean {
    return this.#expiry.remaining(lease) < lease.reply.leaseMs / 3;
  }
}

/** A live boot that is elsewhere now may say nothing new, and yet watchers must know where it is. */
function hasMoved(lease: Lease | undefined, to: Announcement): boolean {
  return lease?.phase === 'PROVISIONING' && isSameBoot(lease, to);
}
