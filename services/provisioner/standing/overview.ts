// What operators see: how the provisioner does, which hosts there are, and why one of them is where it is. Follows the
// events from the start, and asks the parts at the moment of a question.

import type { Clock } from '../../../shared/clock.js';
import type { RunId } from '../../../shared/identity.js';
import type { EventSink, ProvisioningEvent, ReleaseCause } from '../events/event.js';
import type { NodeEvent } from '../fleet/node-event.js';
import type { HostView, Roster } from '../fleet/roster.js';
import { Accounts, type PendingConfirmation } from './accounts.js';
import { History } from './history.js';
import { type About, type Bounds, type ProvisionerStatus, type StatusSources, statusFrom } from './status.js';
import { Tally } from './tally.js';
import type { Circumstances } from './waits/wait.js';

export interface OverviewOptions extends Omit<StatusSources, 'tally'> {
  readonly clock: Clock;
  readonly bounds: Bounds & {
    /** Helpers that run at once. */
    readonly helperSlots: number;
    readonly helperTimeoutMs: number;
  };
  readonly roster: () => Roster;
  readonly pendingConfirmation: (runId: RunId) => PendingConfirmation | undefined;
  /** Runs that wait to run the helper. */
  readonly helperWaiting: () => number;
  /** In which live nodes are sighted, milliseconds. */
  readonly intervalMs: () => number;
  /** Why no discovery service is watched; undefined where one is. */
  readonly discoveryMissing: () => string | undefined;
}

export class Overview implements EventSink {
  /** How the provisioner does at this moment. */
  readonly status: () => ProvisionerStatus;
  readonly accounts: Accounts;
  /** Who this provisioner is. */
  readonly about: About;
  readonly #options: OverviewOptions;
  readonly #tally: Tally;
  readonly #history: History;

  constructor(options: OverviewOptions) {
    const { clock, roster, pendingConfirmation } = options;
    this.#options = options;
    this.about = options.about;
    this.#tally = new Tally(clock);
    this.#history = new History({
      clock,
      isKnown: (identity) => roster().get(identity) !== undefined,
    });
    this.status = statusFrom({ ...options, tally: this.#tally });
    this.accounts = new Accounts({
      clock,
      roster,
      history: this.#history,
      pendingConfirmation,
      circumstances: () => this.#circumstances(),
    });
  }

  publish(event: ProvisioningEvent): void {
    this.#tally.publish(event);
    this.#history.publish(event);
  }

  /** A discovery service said something of a node. */
  heard(type: NodeEvent['type']): void {
    if (type === 'STARTUP' || type === 'SIGHTED' || type === 'UPGRADED') this.#tally.sighted();
  }

  /** The fleet forgets a host. */
  forgetting({ identity, node, version, admittedAt, lastSightedAt }: HostView, cause: ReleaseCause): void {
    const { address, bootId, certificateSha256, discovery } = node;
    const at = this.#options.clock.now();
    this.#history.left(identity, {
      cause,
      at,
      address,
      bootId,
      version,
      certificateSha256,
      discovery,
      admittedAt,
      lastSightedAt,
    });
  }

  #circumstances(): Circumstances {
    const { clock, bounds, pause, breaker, fleet, intervalMs, discoveryMissing, helperWaiting } =
      this.#options;
    return {
      now: clock.now(),
      pause: pause(),
      breaker: breaker(),
      workers: { busy: fleet().busyWorkers, total: bounds.workers },
      runsPerSecond: this.#tally.perSecond.runs,
      intervalMs: intervalMs(),
      discoveryMissing: discoveryMissing(),
      queueLimit: bounds.queueLimit,
      queueIsFull: fleet().queued >= bounds.queueLimit,
      helper: {
        slots: bounds.helperSlots,
        waiting: helperWaiting(),
        timeoutMs: bounds.helperTimeoutMs,
      },
    };
  }
}
