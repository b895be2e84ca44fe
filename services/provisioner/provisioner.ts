// Puts the parts of the provisioner together: what discovery says goes into the fleet, the fleet's runs onto
// nodes, and what happens into logs and metrics. Listening and stopping are app.ts's matter.

import { randomBytes } from 'node:crypto';
import type { Clock } from '../../shared/clock.js';
import { insecureNodeCredentials } from '../../shared/grpc/credentials.js';
import type { Logger } from '../../shared/logger.js';
import { Metrics } from '../../shared/metrics/registry.js';
import type { Readiness } from '../../shared/monitor.js';
import { parseCidr } from '../../shared/net/dial-policy.js';
import { productVersion } from '../../shared/process/version.js';
import type { Random } from '../../shared/random.js';
import { serviceCredentials } from '../../shared/tls/channel-credentials.js';
import type { ProvisionerConfig } from './config.js';
import type { OperatorControl } from './control/control.js';
import { LastInputs } from './control/dry-run/last-inputs.js';
import { createControl } from './create-control.js';
import { FanOut } from './events/fan-out.js';
import type { EventLog } from './events/log/event-log.js';
import { PastRuns } from './events/log/past-runs.js';
import { logLines } from './events/log-lines.js';
import { Breaker } from './fleet/breaker.js';
import { Fleet } from './fleet/fleet.js';
import { Freshness } from './fleet/freshness.js';
import type { Arrival } from './fleet/node-event.js';
import { OperatorPause } from './fleet/pause.js';
import { PauseFile } from './fleet/pause-file.js';
import { createHelper, type SiteHelper } from './helper/site-helper.js';
import { type CredentialName, createMeters, type Meters, showState } from './metrics.js';
import { Confirmations, confirmTimeoutMs } from './run/confirmations.js';
import { createDialer, type DialerOptions } from './run/dialer.js';
import { Fences } from './run/fences.js';
import { createAskNode, createIncumbentCheck } from './run/probe.js';
import { createRunner } from './run/runner.js';
import { DiscoveryClient } from './sightings/discovery-client.js';
import { Sightings } from './sightings/sightings.js';
import type { WatchListener } from './sightings/watch.js';
import { watchLog } from './sightings/watch-log.js';
import { credentialStandings } from './standing/credentials.js';
import { Overview } from './standing/overview.js';
import type { LogStanding } from './standing/status.js';
import type { Trust } from './trust.js';

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

interface OverviewParts {
  readonly clock: Clock;
  /** This provisioner's instance id. */
  readonly instance: string;
  readonly freshness: Freshness;
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
    const { site } = config;
    this.#eventLog = eventLog;
    this.metrics = new Metrics({ site, service: 'provisioner' });
    const meters = createMeters(this.metrics);
    const events = new FanOut((err, event) =>
      log.error({ err, event: event.type }, 'an event was not taken'),
    );
    events.add(logLines(log));
    events.add(meters);
    events.add(eventLog);

    const { tokens, tls } = trust;
    this.#tls = tls;
    tls?.files.onExpiryChange(() => this.readinessChanged());
    const freshness = new Freshness(clock, config.interval);
    const dialing: DialerOptions = {
      site,
      provisioner: instance,
      maxInventoryBytes: config.max_inventory,
      networks: config.node_networks.map(parseCidr),
      tlsMode: config.tls.mode,
      clock,
      observer: meters,
    };
    const dial = createDialer(dialing);
    this.overview = this.#overview(config, trust, { clock, instance, freshness });
    events.add(this.overview);
    const timeouts = { identifyTimeoutMs: config.identify_timeout, rpcTimeoutMs: config.rpc_timeout };
    this.#confirmations = new Confirmations({
      clock,
      events,
      askNode: createAskNode({ dial, tokens, clock, random, ...timeouts }),
      timeoutMs: () => config.confirm_timeout ?? confirmTimeoutMs(freshness.intervalMs),
      pastRuns: new PastRuns(eventLog),
    });
    this.#helper = createHelper({
      command: config.helper,
      mode: config.helper_mode,
      timeoutMs: config.helper_timeout,
      concurrency: config.helper_concurrency,
      env,
      clock,
      log,
      observe: (observation) => meters.helperRan(observation),
    });
    this.#breaker = new Breaker({ limit: config.helper_breaker, clock, random, sink: events });
    const fences = new Fences(clock);
    const inputs = new LastInputs();
    const startRun = createRunner({
      settings: {
        ...timeouts,
        runTimeoutMs: config.run_timeout,
        restartSplayMs: config.restart_splay,
        upgrades: {
          repository: config.upgrades_repository,
          optional: config.upgrades_optional,
          timeoutMs: config.upgrade_timeout,
        },
        features: config.features,
      },
      enrolment: trust.enrolment,
      helper: inputs.watching(this.#helper),
      breaker: this.#breaker,
      events,
      clock,
      random,
      newNonce: () => randomBytes(32),
      log,
      intervalMs: () => freshness.intervalMs,
      dial,
      fences,
      confirmations: this.#confirmations,
      tokens,
    });
    this.#fleet = new Fleet({
      workers: config.workers,
      queueLimit: config.queue_limit,
      holdMs: config.hold,
      backoffMaxMs: config.backoff_max,
      clock,
      random,
      freshness,
      breaker: this.#breaker,
      startRun,
      isStillThere: createIncumbentCheck({ dial, ...timeouts }),
      arrived: (arrival) => this.#cameUp(arrival, true),
      forgetting: (host, cause) => this.overview.forgetting(host, cause),
      sink: events,
    });
    this.control = createControl(config, trust, {
      fleet: this.#fleet,
      trials: this.#helper,
      account: (identity) => this.overview.accounts.of(identity)?.host,
      clock,
      random,
      dialing,
      fences,
      inputs,
    });
    this.pause = new OperatorPause({
      store: new PauseFile(config.data_dir),
      clock,
      sink: events,
      paused: () => this.#fleet.pause(),
      resumed: () => {
        this.#fleet.resume();
        // Nodes that were not admitted in the meantime come at once, not with the next cycle.
        void this.#sightings.discover();
      },
    });
    const discoveryCredentials =
      tls === undefined ? insecureNodeCredentials(clock) : serviceCredentials(tls.files, 'discovery', clock);
    this.#sightings = new Sightings({
      discoveries: config.discovery,
      components: config.lifecycle_component,
      connect: (address) => new DiscoveryClient(address, discoveryCredentials),
      listener: this.#listener(freshness, meters, watchLog(log, clock)),
      clock,
      random,
      log,
    });
    showState(this.metrics, {
      fleet: () => this.#fleet.status,
      paused: () => this.pause.note !== undefined,
      discoveriesConnected: () => this.#sightings.connected,
      eventLog: () => this.#logStanding,
      credentialExpiry: () => expiryOf(trust, clock),
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

  #overview(config: ProvisionerConfig, trust: Trust, parts: OverviewParts): Overview {
    const { clock, instance, freshness } = parts;
    const { tls, signing } = trust;
    return new Overview({
      clock,
      about: {
        site: config.site,
        provisioner: instance,
        version: productVersion(),
        startedAt: clock.now(),
      },
      bounds: {
        workers: config.workers,
        queueLimit: config.queue_limit,
        breakerLimit: config.helper_breaker,
        helperSlots: config.helper_concurrency,
        helperTimeoutMs: config.helper_timeout,
      },
      readiness: () => this.readiness,
      pause: () => this.pause.note,
      fleet: () => this.#fleet.status,
      roster: () => this.#fleet.roster,
      breaker: () => this.#breaker.standing,
      pendingConfirmations: () => this.#confirmations.pending,
      pendingConfirmation: (runId) => this.#confirmations.waitsFor(runId),
      helperWaiting: () => this.#helper.waiting,
      intervalMs: () => freshness.intervalMs,
      discoveries: () => this.#sightings.standings,
      discoveryMissing: () => this.#sightings.whyNone,
      log: () => this.#logStanding,
      credentials: () =>
        credentialStandings({
          certificate: tls?.files,
          signer: signing,
          hasSigningToken: config.jwt_signing_token !== undefined,
        }),
    });
  }

  #listener(
    freshness: Freshness,
    meters: Meters,
    said: Pick<WatchListener, 'skipped' | 'synced' | 'lost'>,
  ): WatchListener {
    return {
      event: (event) => {
        meters.sighted(event.type);
        this.overview.heard(event.type);
        this.#fleet.handle(event);
        // Who knows run and configuration is the node, whatever else is said in its name.
        if (event.type === 'PROVISIONED') this.#cameUp(event, false);
      },
      skipped: (discovery, why) => {
        meters.sighted('INVALID');
        said.skipped(discovery, why);
      },
      synced: (discovery, intervalMs) => {
        freshness.synced(discovery, intervalMs);
        said.synced(discovery, intervalMs);
        this.readinessChanged();
      },
      lost: (discovery, why, wasSynced) => {
        freshness.lost(discovery);
        said.lost(discovery, why, wasSynced);
        this.readinessChanged();
      },
    };
  }
}

/** Seconds until each of the credentials expires. */
function expiryOf({ tls, signing }: Trust, clock: Clock): Partial<Record<CredentialName, number>> {
  const now = clock.now() / 1000;
  return {
    ...(tls && { tls: tls.files.current.expiresAt / 1000 - now }),
    ...(signing?.expiresAt !== undefined && { signing_token: signing.expiresAt - now }),
  };
}
