// What operators want of hosts: that one is run now, or forgotten (design, section 10). What the fleet does by itself is
// the table of admission's matter; how a node is met first, that of who asks here.

import type { Clock } from '../../../shared/clock.js';
import type { Identity, RunId } from '../../../shared/identity.js';
import type { OutcomeKind } from '../run/outcome.js';
import type { HostState } from './admission.js';
import type { Counters } from './counters.js';
import { type Host, newHost, noteMet, type Wish } from './host.js';
import type { Hosts } from './hosts.js';
import type { SightedNode } from './node-event.js';

export interface WishesOptions {
  readonly hosts: Hosts;
  readonly counters: Counters;
  readonly clock: Clock;
  /** Why nothing is admitted or started now; undefined where it is. */
  readonly standstill: () => 'PAUSED' | 'STOPPING' | undefined;
  /** Told when a host got into line. */
  readonly queued: () => void;
}

/** Why a host cannot be queued now. */
export type Obstacle = 'PAUSED' | 'STOPPING' | 'QUEUE_FULL';

export interface ProvisionWish {
  readonly identity: Identity;
  /** Overtake a fence that is far ahead of the clock. */
  readonly force: boolean;
  /** The node as it has answered just now, in provisioning mode; undefined where it was not asked. */
  readonly met?: SightedNode;
  /** True where `met` is at an address that the operator gave. */
  readonly placed?: boolean;
}

export interface Released {
  readonly previous: HostState;
  /** The run that works on it; undefined where none does. The host is released when it has ended. */
  readonly run: { readonly runId: RunId; readonly outcome: Promise<OutcomeKind> } | undefined;
}

export class Wishes {
  readonly #options: WishesOptions;

  constructor(options: WishesOptions) {
    this.#options = options;
  }

  /** @returns why a host cannot be queued now, undefined where it can, or a run works on it */
  obstacle(identity: Identity): Obstacle | undefined {
    const { hosts, standstill } = this.#options;
    const kind = hosts.get(identity)?.standing.kind;
    const why = standstill();
    if (why !== undefined) return why;
    return kind === 'QUEUED' || kind === 'RUNNING' || hosts.fits ? undefined : 'QUEUE_FULL';
  }

  /**
   * Has a host run as soon as its turn comes: admits it, or ends its hold or backing off. One that waits keeps its turn,
   * and one that is run is left alone. Its failures in a row are still counted.
   *
   * @returns NOT_MET where the node has to be asked first: it is not known, or was provisioned
   */
  provision(wish: ProvisionWish): Obstacle | 'NOT_MET' | 'DONE' {
    const { hosts } = this.#options;
    const host = hosts.get(wish.identity);
    const obstacle = this.obstacle(wish.identity);
    if (obstacle !== undefined) return obstacle;
    if (host === undefined) return this.#admit(wish);
    switch (host.standing.kind) {
      case 'RUNNING':
        return 'DONE';
      case 'QUEUED':
        this.#note(host, wish);
        return 'DONE';
      case 'HELD':
        if (wish.met === undefined) return 'NOT_MET';
        break;
      case 'BACKING_OFF':
    }
    this.#note(host, wish);
    hosts.requeue(host, 'OPERATOR');
    this.#options.queued();
    return 'DONE';
  }

  /** Forgets a host, so that its next sighting admits it. @returns undefined where it is not known */
  release(identity: Identity): Released | undefined {
    const { hosts } = this.#options;
    const host = hosts.get(identity);
    if (host === undefined) return undefined;
    const previous = host.standing.kind;
    if (host.standing.kind !== 'RUNNING') {
      hosts.release(host, 'OPERATOR');
      return { previous, run: undefined };
    }
    const { run } = host.standing;
    host.wish = { kind: 'RELEASE' };
    run.interrupt('RELEASED');
    return { previous, run: { runId: run.runId, outcome: run.finished.then(({ outcome }) => outcome.kind) } };
  }

  /** A node that an operator has put back into provisioning mode comes back for no fault of its own. */
  expectBack(identity: Identity): void {
    this.#options.counters.expected(identity);
  }

  #admit(wish: ProvisionWish): 'NOT_MET' | 'DONE' {
    const { hosts, clock, queued } = this.#options;
    if (wish.met === undefined) return 'NOT_MET';
    const host = newHost(wish.met, clock.monotonic());
    this.#note(host, wish);
    hosts.admit(host, 'OPERATOR');
    queued();
    return 'DONE';
  }

  #note(host: Host, { force, met, placed = false }: ProvisionWish): void {
    const { clock, counters } = this.#options;
    const before: Wish | undefined = host.wish;
    if (met !== undefined) {
      noteMet(host, met, clock.monotonic());
      counters.expected(host.identity);
    }
    const known = before?.kind === 'PROVISION' ? before : { force: false, placed: false };
    const isPlaced = met === undefined ? known.placed : placed;
    host.wish = { kind: 'PROVISION', force: force || known.force, placed: isPlaced };
  }
}
