// Puts the parts of the provisioner together: what discovery says goes into the fleet, the fleet's runs onto
// nodes, and what happens into logs and metrics. How a part is made of the settings is in its create-*.ts; listening and
// stopping are app.ts's matter.

import type { Clock } from '../../shared/clock.js';
import type { Logger } from '../../shared/logger.js';
import { Metrics } from '../../shared/metrics/registry.js';
import type { Readiness } from '../../shared/monitor.js';
import type { Random } from '../../shared/random.js';
import type { ProvisionerConfig } from './config.js';
import type { OperatorControl } from './control/control.js';
import { LastInputs } from './control/dry-run/last-inputs.js';
import { createConfirmations } from './create-confirmations.js';
import { createControl } from './create-control.js';
import { createDialing } from './create-dialing.js';
import { createFleet } from './create-fleet.js';
import { createHelper } from './create-helper.js';
import { createOverview } from './create-overview.js';
import { createPause } from './create-pause.js';
import { createRuns } from './create-runs.js';
import { createSightings } from './create-sightings.js';
import { createWatchListener } from './create-watch-listener.js';
import { FanOut } from './events/fan-out.js';
import type { EventLog } from './events/log/event-log.js';
import { logLines } from './events/log-lines.js';
import { Breaker } from './fleet/breaker.js';
import type { Fleet } from './fleet/fleet.js';
import { Freshness } from './fleet/freshness.js';
import type { Arrival } from './fleet/node-event.js';
import type { OperatorPause } from './fleet/pause.js';
import type { SiteHelper } from './helper/site-helper.js';
import { createMeters, showState } from './metrics.js';
import type { Confirmations } from './run/confirmations.js';
import { createDialer } from './run/dialer.js';
import { Fences } from './run/fences.js';
import type { Sightings } from './sightings/sightings.js';
import { watchLog } from './sightings/watch-log.js';
import type { Overview } from './standing/overview.js';
import type { LogStanding } from './standing/status.js';
import { secondsToExpiry, type Trust } from './trust.js';

/** What comes from the machine, and from tests something else. */
export interface Surroundings {
  readonly clock: Clock;
  readonly random: Random;
  readonly env: NodeJS.ProcessEnv;
}

/** What is there before the provisioner is. */
export interface Given extends Surroundings {
  /** This provisioner's instance id. */
  readonly instance: string;
  readonly eventLog: EventLog;
}

export class Provisioner {
  readonly metrics: Metrics;
  readonly pause: OperatorPause;
  /** For those who only look. */
  readonly overview: Overview;
  /** For operators. */
  readonly control: OperatorControl;
  /** Watches of the event log that are open. */
  subscribers: () => number = () => 0;
  /** Called when {@link readiness} may have changed. */
  readinessChanged: () => void = () => {};
  readonly #fleet: Fleet;
  readonly #sightings: Sightings;
  readonly #confirmations: Confirmations;
  readonly #helper: SiteHelper;
  readonly #breaker: Breaker;
  readonly #tls: Trust['tls'];
  readonly #eventLog: EventLog;
  #stopping = false;

  constructor(config: ProvisionerConfig, trust: Trust, log: Logger, given: Given) {
    const { clock, random, env, instance, eventLog } = given;
    this.#tls = trust.tls;
    this.#eventLog = eventLog;
    this.metrics = new Metrics({ site: config.site, service: 'provisioner' });
    const meters = createMeters(this.metrics);
    const freshness = new Freshness(clock, config.interval);
    const readinessChanged = () => this.readinessChanged();
    trust.tls?.files.onExpiryChange(readinessChanged);

    // Who is told of what happens.
    this.overview = createOverview(config, trust, {
      instance,
      clock,
      freshness,
      readiness: () => this.readiness,
      pause: () => this.pause.note,
      fleet: () => this.#fleet,
      confirmations: () => this.#confirmations,
      helper: () => this.#helper,
      breaker: () => this.#breaker,
      sightings: () => this.#sightings,
      log: () => this.#logStanding,
    });
    const events = new FanOut((err, event) =>
      log.error({ err, event: event.type }, 'an event was not taken'),
    );
    for (const sink of [logLines(log), meters, eventLog, this.overview]) events.add(sink);

    // What runs are made of.
    const dialing = createDialing(config, { instance, clock, observer: meters });
    const dial = createDialer(dialing);
    const fences = new Fences(clock);
    const common = { dial, freshness, events, clock, random };
    const confirmations = createConfirmations(config, trust, { ...common, eventLog });
    this.#confirmations = confirmations;
    this.#helper = createHelper(config, { env, clock, log, observe: (ran) => meters.helperRan(ran) });
    const inputs = new LastInputs();
    const helper = inputs.watching(this.#helper);
    const breaker = new Breaker({ limit: config.helper_breaker, clock, random, sink: events });
    this.#breaker = breaker;
    const startRun = createRuns(config, trust, { ...common, helper, breaker, fences, confirmations, log });

    // Who starts them, who can ask for them, and who can stop them.
    const fleet = createFleet(config, {
      ...common,
      breaker,
      startRun,
      arrived: (arrival) => this.#cameUp(arrival, true),
      forgetting: (host, cause) => this.overview.forgetting(host, cause),
    });
    this.#fleet = fleet;
    this.control = createControl(config, trust, {
      fleet,
      trials: this.#helper,
      account: (identity) => this.overview.accounts.of(identity)?.host,
      clock,
      random,
      dialing,
      fences,
      inputs,
    });
    this.pause = createPause(config, { fleet, sightings: () => this.#sightings, events, clock });

    // Where nodes come from.
    const listener = createWatchListener({
      fleet,
      overview: this.overview,
      freshness,
      meters,
      // Who knows run and configuration is the node, whatever else is said in its name.
      cameUp: (arrival) => this.#cameUp(arrival, false),
      readinessChanged,
      log: watchLog(log, clock),
    });
    this.#sightings = createSightings(config, trust, { listener, clock, random, log });

    showState(this.metrics, {
      fleet: () => fleet.status,
      paused: () => this.pause.note !== undefined,
      discoveriesConnected: () => this.#sightings.connected,
      eventLog: () => this.#logStanding,
      credentialExpiry: () => secondsToExpiry(trust, clock.now()),
    });
  }

  /** Whether it does its job. */
  get readiness(): Readiness {
    const why = this.#stopping ? 'stopping' : (this.#tls?.files.whyExpired ?? this.#sightings.whyNone);
    if (why !== undefined) return { ready: false, why };
    const { failing, error } = this.#eventLog.status;
    const { open, reason } = this.#breaker.standing;
    const buts = [
      ...(failing ? [`the event log is not written: ${error}`] : []),
      ...(open === undefined ? [] : [`the helper fails for every node: ${reason}`]),
    ];
    return { ready: true, but: buts.length === 0 ? undefined : buts.join('; ') };
  }

  /** Begins to watch. A pause that was kept has to be taken up before. */
  start(): void {
    this.#sightings.start();
  }

  /** Is not ready any more; starts nothing and waits for the runs, which are told that they have `graceMs`. */
  async stopRuns(graceMs: number): Promise<void> {
    this.#stopping = true;
    this.readinessChanged();
    await this.#fleet.stop(graceMs);
  }

  /** Lets go of what it holds outside the process. */
  async close(): Promise<void> {
    this.#confirmations.close();
    await Promise.all([this.#sightings.stop(), this.#helper.close()]);
  }

  get #logStanding(): LogStanding {
    return { ...this.#eventLog.status, subscribers: this.subscribers() };
  }

  #cameUp({ node, runId, configurationDigest }: Arrival, believed: boolean): void {
    if (runId === undefined) return;
    this.#confirmations.cameUp({ identity: node.identity, runId, configurationDigest }, believed);
  }
}
