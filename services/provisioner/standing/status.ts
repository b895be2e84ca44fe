// How the provisioner does, at this moment and since its start: gathered from its parts for whoever asks.

import type { Readiness } from '../../../shared/monitor.js';
import type { BreakerStanding } from '../fleet/breaker.js';
import type { FleetStatus } from '../fleet/fleet.js';
import type { PauseNote } from '../fleet/pause.js';
import type { WatchStanding } from '../sightings/watch.js';
import type { CredentialStanding } from './credentials.js';
import type { RateName } from './rates.js';
import type { OutcomeCount, Tally } from './tally.js';

/** The event log, as far as its status is told. */
export interface LogStanding {
  readonly logId: string;
  /** 0 where it is empty. */
  readonly first: number;
  /** 0 where there is none. */
  readonly last: number;
  readonly uncommittedBytes: number;
  readonly failing: boolean;
  /** A sentence for people; empty where it is not failing. */
  readonly error: string;
  /** Events that could not be written. */
  readonly lost: number;
  /** Watches that are open. */
  readonly subscribers: number;
}

/** Who this provisioner is. */
export interface About {
  readonly site: string;
  readonly provisioner: string;
  readonly version: string;
  /** Unix milliseconds. */
  readonly startedAt: number;
}

/** What it was set up with. */
export interface Bounds {
  readonly workers: number;
  readonly queueLimit: number;
  /** Failures of the helper in a row at which no run starts any more. */
  readonly breakerLimit: number;
}

export interface ProvisionerStatus extends About {
  readonly readiness: Readiness;
  readonly pause: PauseNote | undefined;
  readonly fleet: FleetStatus;
  readonly bounds: Bounds;
  readonly dropped: number;
  readonly perSecond: Readonly<Record<RateName, number>>;
  readonly outcomes: readonly OutcomeCount[];
  readonly confirmations: {
    readonly pending: number;
    readonly confirmed: number;
    readonly missed: number;
  };
  readonly breaker: BreakerStanding;
  /** In the order of the configuration. */
  readonly discoveries: readonly WatchStanding[];
  /** Undefined where there is none. */
  readonly log: LogStanding | undefined;
  readonly credentials: readonly CredentialStanding[];
}

export interface StatusSources {
  readonly about: About;
  readonly bounds: Bounds;
  readonly tally: Tally;
  readonly readiness: () => Readiness;
  readonly pause: () => PauseNote | undefined;
  readonly fleet: () => FleetStatus;
  readonly breaker: () => BreakerStanding;
  readonly pendingConfirmations: () => number;
  readonly discoveries: () => readonly WatchStanding[];
  readonly log: () => LogStanding | undefined;
  readonly credentials: () => readonly CredentialStanding[];
}

/** @returns what tells how the provisioner does whenever it is called */
export function statusFrom(sources: StatusSources): () => ProvisionerStatus {
  const { about, bounds, tally } = sources;
  return () => ({
    ...about,
    bounds,
    readiness: sources.readiness(),
    pause: sources.pause(),
    fleet: sources.fleet(),
    dropped: tally.dropped,
    perSecond: tally.perSecond,
    outcomes: tally.outcomes,
    confirmations: {
      pending: sources.pendingConfirmations(),
      confirmed: tally.confirmed,
      missed: tally.missed,
    },
    breaker: sources.breaker(),
    discoveries: sources.discoveries(),
    log: sources.log(),
    credentials: sources.credentials(),
  });
}
