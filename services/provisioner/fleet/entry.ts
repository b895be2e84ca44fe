// How hosts get into line: admission, the end of a hold, the end of backing off. A node that keeps coming
// back after it was provisioned is stopped at this door and backs off first (design, section 5).

import type { Clock } from '../../../shared/clock.js';
import type { Random } from '../../../shared/random.js';
import type { EventSink } from '../events/event.js';
import { inventoryServesIntervals } from '../run/inventory.js';
import { type Counters, loopThreshold, loopWindowMs } from './counters.js';
import { type DispositionPolicy, loopBackoffMs } from './disposition.js';
import type { Freshness } from './freshness.js';
import { type Host, newHost } from './host.js';
import type { Hosts } from './hosts.js';
import type { SightedNode } from './node-event.js';

export interface EntryOptions {
  readonly hosts: Hosts;
  readonly counters: Counters;
  readonly freshness: Freshness;
  readonly clock: Clock;
  readonly random: Random;
  readonly sink: EventSink;
  readonly policy: () => DispositionPolicy;
  /** Told when a host got into line by itself. */
  readonly queued: () => void;
}

export class Entry {
  readonly #options: EntryOptions;

  constructor(options: EntryOptions) {
    this.#options = options;
  }

  /**
   * Records a node that was not known, if it fits.
   *
   * @param sightedAt monotonic milliseconds; default now
   */
  admit(node: SightedNode, sightedAt: number = this.#options.clock.monotonic()): void {
    const { hosts } = this.#options;
    const host = newHost(node, sightedAt);
    const loopMs = this.#loopMs(host);
    if (loopMs === undefined) hosts.admit(host);
    else hosts.admitBackingOff(host, loopMs, () => this.#backedOff(host));
  }

  /** Ends a hold because the node booted anew. */
  endHold(host: Host): void {
    const loopMs = this.#loopMs(host);
    if (loopMs === undefined) this.#options.hosts.requeue(host, 'NEW_BOOT');
    else this.backOff(host, loopMs);
  }

  /** Has a host wait before it is queued again. */
  backOff(host: Host, ms: number): void {
    const { hosts, freshness } = this.#options;
    // It will be too old by then; those of a whole fleet would fill the memory meanwhile.
    if (ms >= inventoryServesIntervals * freshness.intervalMs && host.fetched !== undefined) {
      const { inventory: _, ...kept } = host.fetched;
      host.fetched = kept;
    }
    hosts.backOff(host, ms, () => this.#backedOff(host));
  }

  #backedOff(host: Host): void {
    const { hosts, freshness, queued } = this.#options;
    if (freshness.isStale(host.lastSightedAt)) hosts.release(host, 'NOT_SIGHTED');
    else hosts.requeue(host, 'RETRIED');
    queued();
  }

  /** Milliseconds for which a looping host is to back off; undefined where it does not loop. */
  #loopMs({ identity, node }: Host): number | undefined {
    const { counters, sink, policy, random } = this.#options;
    const times = counters.sighted(identity, node.bootId);
    if (times < loopThreshold) return undefined;
    const backoffMs = loopBackoffMs(times, policy(), random);
    sink.publish({ type: 'PROVISION_LOOP', identity, times, withinMs: loopWindowMs, backoffMs });
    return backoffMs;
  }
}
