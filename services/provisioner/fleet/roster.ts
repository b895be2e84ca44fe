// The hosts as others may look at them: what is so at this moment, with all times in Unix milliseconds. Nothing that is
// given out changes the fleet.

import type { Clock } from '../../../shared/clock.js';
import type { Identity, RunId } from '../../../shared/identity.js';
import type { RunProgress } from '../run/progress.js';
import type { HostState } from './admission.js';
import type { Counters } from './counters.js';
import type { Freshness } from './freshness.js';
import type { Host } from './host.js';
import type { Hosts } from './hosts.js';
import type { SightedNode } from './node-event.js';

/** The run that works on a host. */
export interface RunView {
  readonly runId: RunId;
  readonly fence: bigint;
  readonly progress: RunProgress;
}

/** A host as it stands. */
export interface HostView {
  readonly identity: Identity;
  readonly state: HostState;
  readonly since: number;
  /** When the state ends by itself; undefined where it does not. */
  readonly until: number | undefined;
  /** As last sighted. */
  readonly node: SightedNode;
  /** Of the agent's release; empty where it was not fetched in this boot. */
  readonly version: string;
  readonly admittedAt: number;
  readonly lastSightedAt: number;
  /** True where that was too long ago for a run to start, and no operator wants one. */
  readonly isStale: boolean;
  /** Set where it is RUNNING. */
  readonly run: RunView | undefined;
}

export interface HostQuery {
  /** The identity that the page begins behind; empty for the first. */
  readonly after: string;
  readonly prefix: string;
  /** States, of which one must match; undefined for all. */
  readonly states: ReadonlySet<HostState> | undefined;
  readonly size: number;
}

export interface HostPage {
  /** Ordered by identity. */
  readonly hosts: readonly HostView[];
  readonly more: boolean;
}

export interface RosterOptions {
  readonly hosts: Hosts;
  readonly counters: Counters;
  readonly freshness: Freshness;
  readonly clock: Clock;
}

export class Roster {
  readonly #options: RosterOptions;

  constructor(options: RosterOptions) {
    this.#options = options;
  }

  get(identity: Identity): HostView | undefined {
    const host = this.#options.hosts.get(identity);
    return host && this.view(host);
  }

  /** Known or not, as far as it is remembered. */
  failuresInRow(identity: Identity): number {
    return this.#options.counters.failuresInRow(identity);
  }

  /** The versions from which its last upgrades in a row started, as far as is remembered. */
  upgradedFrom(identity: Identity): readonly string[] {
    return this.#options.counters.upgradedFrom(identity);
  }

  page({ after, prefix, states, size }: HostQuery): HostPage {
    const { hosts } = this.#options;
    const found: HostView[] = [];
    for (const identity of hosts.identitiesFrom(after > prefix ? after : prefix)) {
      if (!identity.startsWith(prefix)) break;
      const host = hosts.get(identity);
      if (host === undefined || identity === after) continue;
      if (states !== undefined && !states.has(host.standing.kind)) continue;
      if (found.length === size) return { hosts: found, more: true };
      found.push(this.view(host));
    }
    return { hosts: found, more: false };
  }

  /** The places in the queue of those of the nodes that are in it, 1 for the next. One walk, whoever is asked for. */
  places(identities: ReadonlySet<Identity>): ReadonlyMap<Identity, number> {
    const places = new Map<Identity, number>();
    if (identities.size === 0) return places;
    let place = 0;
    for (const { identity } of this.#options.hosts.queuedInTurn()) {
      place += 1;
      if (!identities.has(identity)) continue;
      places.set(identity, place);
      if (places.size === identities.size) break;
    }
    return places;
  }

  view(host: Host): HostView {
    const { identity, node, standing, lastSightedAt } = host;
    return {
      identity,
      state: standing.kind,
      since: this.#wall(host.since),
      until: 'end' in standing ? this.#wall(standing.end.at) : undefined,
      node,
      version: host.fetched?.inventory?.value.version ?? host.version,
      admittedAt: this.#wall(host.admittedAt),
      lastSightedAt: this.#wall(lastSightedAt),
      isStale: host.wish === undefined && this.#options.freshness.isStale(lastSightedAt),
      run: standing.kind === 'RUNNING' ? this.#runView(standing.run) : undefined,
    };
  }

  /** The moment of the clock that jumps at which the other one showed this. */
  #wall(monotonic: number): number {
    const { clock } = this.#options;
    return clock.now() - (clock.monotonic() - monotonic);
  }

  #runView({ runId, fence, progress }: RunView): RunView {
    const { step, wait, trouble } = progress;
    const shifted = wait && {
      ...wait,
      since: this.#wall(wait.since),
      ...('until' in wait && { until: this.#wall(wait.until) }),
    };
    return { runId, fence, progress: { step, wait: shifted, trouble } };
  }
}
