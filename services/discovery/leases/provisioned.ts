// Nodes that came up configured of late: a watcher that was away hears of them in its snapshot.

import type { Clock } from '../../../shared/clock.js';
import type { Identity } from '../../../shared/identity.js';
import type { Arrival } from '../nodes/node-event.js';

interface Kept {
  readonly eventId: string;
  readonly arrival: Arrival;
  /** Monotonic. */
  readonly since: number;
}

export class ProvisionedNodes {
  readonly #clock: Clock;
  readonly #retentionMs: number;
  readonly #limit: number;
  /** Oldest first. */
  readonly #kept = new Map<Identity, Kept>();

  /** @param limit how many are kept; the oldest make room */
  constructor(clock: Clock, retentionMs: number, limit: number) {
    this.#clock = clock;
    this.#retentionMs = retentionMs;
    this.#limit = limit;
  }

  add(eventId: string, arrival: Arrival): void {
    const { identity } = arrival.node;
    this.#kept.delete(identity);
    this.#kept.set(identity, { eventId, arrival, since: this.#clock.monotonic() });
    if (this.#kept.size > this.#limit) this.#dropOldest();
  }

  /** The last arrival of an identity, if it is still kept. */
  get(identity: Identity): { readonly eventId: string; readonly arrival: Arrival } | undefined {
    return this.#kept.get(identity);
  }

  /** What is kept. It may be walked slowly, while others come and go. */
  *arrivals(): Generator<Arrival> {
    for (const { arrival } of this.#kept.values()) yield arrival;
  }

  /** Forgets what was kept for its time. */
  tick(): void {
    const until = this.#clock.monotonic() - this.#retentionMs;
    for (const { arrival, since } of this.#kept.values()) {
      if (since > until) return;
      this.#kept.delete(arrival.node.identity);
    }
  }

  get size(): number {
    return this.#kept.size;
  }

  #dropOldest(): void {
    const oldest = this.#kept.keys().next().value;
    if (oldest !== undefined) this.#kept.delete(oldest);
  }
}
