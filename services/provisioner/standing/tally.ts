// What has happened since the start, in numbers: kept up by events, and read by whoever asks how the provisioner does.

import type { Clock } from '../../../shared/clock.js';
import type { EventSink, ProvisioningEvent } from '../events/event.js';
import type { OutcomeKind } from '../run/outcome.js';
import { type RateName, Rates } from './rates.js';

export interface OutcomeCount {
  readonly outcome: OutcomeKind;
  /** Empty but for FAILED and UPGRADE_FAILED. */
  readonly reason: string;
  readonly count: number;
}

/** Counts since the start of the process; rates over the last minute. */
export class Tally implements EventSink {
  readonly #rates: Rates;
  readonly #outcomes = new Map<string, { outcome: OutcomeKind; reason: string; count: number }>();
  #dropped = 0;
  #confirmed = 0;
  #missed = 0;

  constructor(clock: Clock) {
    this.#rates = new Rates(clock);
  }

  /** A node that wants provisioning was heard of. */
  sighted(): void {
    this.#rates.count('sightings');
  }

  publish(event: ProvisioningEvent): void {
    switch (event.type) {
      case 'HOST_DROPPED':
        this.#dropped += event.count;
        return;
      case 'RUN_FINISHED':
        this.#finished(event.outcome, event.reason);
        return;
      case 'NODE_CONFIRMED':
        this.#confirmed += 1;
        this.#rates.count('confirmed');
        return;
      case 'CONFIRMATION_MISSED':
        this.#missed += 1;
        return;
      default:
    }
  }

  /** Sightings of hosts that did not fit into the queue. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Nodes that said that they came up. */
  get confirmed(): number {
    return this.#confirmed;
  }

  /** Nodes that did not in time. */
  get missed(): number {
    return this.#missed;
  }

  /** Those that have occurred, ordered by outcome and reason. */
  get outcomes(): readonly OutcomeCount[] {
    return [...this.#outcomes]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([, counted]) => ({ ...counted }));
  }

  get perSecond(): Readonly<Record<RateName, number>> {
    return this.#rates.perSecond;
  }

  #finished(outcome: OutcomeKind, reason: string): void {
    const key = `${outcome} ${reason}`;
    const counted = this.#outcomes.get(key) ?? { outcome, reason, count: 0 };
    counted.count += 1;
    this.#outcomes.set(key, counted);
    this.#rates.count('runs');
    if (outcome === 'PROVISIONED') this.#rates.count('provisioned');
    if (outcome === 'FAILED' || outcome === 'UPGRADE_FAILED') this.#rates.count('failed');
  }
}
