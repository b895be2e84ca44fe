// Puts together what those see who only look. The parts are asked at the moment of a question: some of them are made
// later than this, since they tell it what happens.

import type { Clock } from '../../shared/clock.js';
import type { Readiness } from '../../shared/monitor.js';
import { productVersion } from '../../shared/process/version.js';
import type { ProvisionerConfig } from './config.js';
import type { Breaker } from './fleet/breaker.js';
import type { Fleet } from './fleet/fleet.js';
import type { Freshness } from './fleet/freshness.js';
import type { PauseNote } from './fleet/pause.js';
import type { SiteHelper } from './helper/site-helper.js';
import type { Confirmations } from './run/confirmations.js';
import type { Sightings } from './sightings/sightings.js';
import { credentialStandings } from './standing/credentials.js';
import { Overview } from './standing/overview.js';
import type { LogStanding } from './standing/status.js';
import type { Trust } from './trust.js';

export interface OverviewParts {
  /** This provisioner's instance id. */
  readonly instance: string;
  readonly clock: Clock;
  readonly freshness: Freshness;
  readonly readiness: () => Readiness;
  readonly pause: () => PauseNote | undefined;
  readonly fleet: () => Fleet;
  readonly confirmations: () => Confirmations;
  readonly helper: () => SiteHelper;
  readonly breaker: () => Breaker;
  readonly sightings: () => Sightings;
  readonly log: () => LogStanding;
}

export function createOverview(config: ProvisionerConfig, trust: Trust, parts: OverviewParts): Overview {
  const {
    instance,
    clock,
    freshness,
    readiness,
    pause,
    fleet,
    confirmations,
    helper,
    breaker,
    sightings,
    log,
  } = parts;
  const { tls, signing } = trust;
  return new Overview({
    clock,
    about: { site: config.site, provisioner: instance, version: productVersion(), startedAt: clock.now() },
    bounds: {
      workers: config.workers,
      queueLimit: config.queue_limit,
      breakerLimit: config.helper_breaker,
      helperSlots: config.helper_concurrency,
      helperTimeoutMs: config.helper_timeout,
    },
    readiness,
    pause,
    log,
    fleet: () => fleet().status,
    roster: () => fleet().roster,
    pendingConfirmations: () => confirmations().pending,
    pendingConfirmation: (runId) => confirmations().waitsFor(runId),
    breaker: () => breaker().standing,
    helperWaiting: () => helper().waiting,
    intervalMs: () => freshness.intervalMs,
    discoveries: () => sightings().standings,
    discoveryMissing: () => sightings().whyNone,
    credentials: () =>
      credentialStandings({
        certificate: tls?.files,
        signer: signing,
        hasSigningToken: config.jwt_signing_token !== undefined,
      }),
  });
}
