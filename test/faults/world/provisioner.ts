// One life of the provisioner in the world: its real fleet, runner, helper and confirmations, wired as provisioner.ts
// wires them, on a wire, a watch and files of the world's.

import { randomBytes, randomUUID } from 'node:crypto';
import { defaultDenyPatterns, parseDenyList } from '../../../services/provisioner/enrolment/deny-list.js';
import type { EventSink } from '../../../services/provisioner/events/event.js';
import { Breaker } from '../../../services/provisioner/fleet/breaker.js';
import { Fleet } from '../../../services/provisioner/fleet/fleet.js';
import { Freshness } from '../../../services/provisioner/fleet/freshness.js';
import type { Arrival } from '../../../services/provisioner/fleet/node-event.js';
import { OperatorPause, type PauseStore } from '../../../services/provisioner/fleet/pause.js';
import { SiteHelper } from '../../../services/provisioner/helper/site-helper.js';
import { Confirmations, confirmTimeoutMs } from '../../../services/provisioner/run/confirmations.js';
import { Fences } from '../../../services/provisioner/run/fences.js';
import { createAskNode, createIncumbentCheck } from '../../../services/provisioner/run/probe.js';
import type { RunFeatures, RunLog } from '../../../services/provisioner/run/run-context.js';
import { createRunner } from '../../../services/provisioner/run/runner.js';
import type { Overview } from '../../../services/provisioner/standing/overview.js';
import { silentLogger } from '../../../shared/logger.js';
import type { Random } from '../../../shared/random.js';
import type { FakeClock } from '../../fakes/fake-clock.js';
import type { WorldDiscovery } from './discovery.js';
import type { Faults } from './faults.js';
import { worldHelper } from './helper.js';
import { Life, type RealWork } from './life.js';
import { worldOverview } from './looking-on.js';
import { worldSigning } from './signing.js';
import type { Decide, Site } from './site.js';
import { discoveryName, watchDiscovery } from './watching.js';
import type { Wire } from './wire.js';

/** As the settings of the provisioner have them by default; times in milliseconds. */
export const defaultSettings = {
  intervalMs: 60_000,
  workers: 64,
  queueLimit: 50_000,
  holdMs: 60_000,
  backoffMaxMs: 1_800_000,
  identifyTimeoutMs: 2_000,
  rpcTimeoutMs: 10_000,
  runTimeoutMs: 600_000,
  restartSplayMs: 1_000,
  helperTimeoutMs: 10_000,
  helperConcurrency: 8,
  helperBreaker: 20,
  upgrades: { repository: 'https://releases.example.net/', optional: false, timeoutMs: 120_000 },
};

export type WorldSettings = typeof defaultSettings;

export interface WorldProvisionerOptions {
  readonly clock: FakeClock;
  readonly random: Random;
  readonly settings: WorldSettings;
  readonly features: RunFeatures;
  readonly site: Site;
  readonly decide: Decide;
  readonly wire: Wire;
  readonly faults: Faults;
  readonly work: RealWork;
  readonly discovery: () => WorldDiscovery | undefined;
  readonly pauseStore: PauseStore;
  readonly events: EventSink;
  readonly log: RunLog;
}

export class WorldProvisioner {
  readonly life = new Life();
  readonly fleet: Fleet;
  readonly pause: OperatorPause;
  /** What operators see of it. */
  readonly overview: Overview;
  readonly #confirmations: Confirmations;
  readonly #stop = new AbortController();
  readonly #watch: () => Promise<void>;

  constructor(options: WorldProvisionerOptions) {
    const { random, settings, features, site, wire, faults, work, discovery } = options;
    const { life } = this;
    const clock = life.clock(options.clock);
    const events: EventSink = {
      publish: (event) => {
        if (life.isOver) return;
        this.overview.publish(event);
        options.events.publish(event);
      },
    };
    const freshness = new Freshness(clock, settings.intervalMs);
    const dial = wire.dialFrom({ life, site: 'default', provisioner: randomUUID() });
    const tokens = () => [site.secret];
    this.#confirmations = new Confirmations({
      clock,
      events,
      askNode: createAskNode({ ...settings, dial, tokens, clock, random }),
      timeoutMs: () => confirmTimeoutMs(freshness.intervalMs),
    });
    const helper = new SiteHelper(
      {
        command: ['helper'],
        mode: 'exec',
        timeoutMs: settings.helperTimeoutMs,
        concurrency: settings.helperConcurrency,
        env: {},
        clock,
        log: silentLogger(),
      },
      {},
      worldHelper({
        clock,
        life,
        work,
        faults,
        timeoutMs: settings.helperTimeoutMs,
        decide: options.decide,
      }),
    );
    const breaker = new Breaker({ limit: settings.helperBreaker, clock, random, sink: events });
    this.overview = worldOverview({
      clock,
      settings,
      freshness,
      pause: () => this.pause.note,
      fleet: () => this.fleet.status,
      roster: () => this.fleet.roster,
      breaker: () => breaker.standing,
      pendingConfirmations: () => this.#confirmations.pending,
      pendingConfirmation: (runId) => this.#confirmations.waitsFor(runId),
      helperWaiting: () => helper.waiting,
    });
    const verifier = site.keys.verifier();
    const startRun = createRunner({
      settings: { ...settings, features },
      enrolment: {
        tokens: { verify: (token, now) => life.during(() => work.count(verifier.verify(token, now))) },
        denyList: parseDenyList(defaultDenyPatterns),
        signing: worldSigning({ clock, life, work, faults, issuer: site.issuer }),
        serverJwtValidityMs: 365 * 24 * 3_600_000,
      },
      helper,
      breaker,
      events,
      clock,
      random,
      newNonce: () => randomBytes(32),
      log: options.log,
      intervalMs: () => freshness.intervalMs,
      dial,
      fences: new Fences(clock),
      confirmations: this.#confirmations,
      tokens,
    });
    this.fleet = new Fleet({
      ...settings,
      clock,
      random,
      freshness,
      breaker,
      startRun,
      isStillThere: createIncumbentCheck({ ...settings, dial }),
      arrived: (arrival) => this.#cameUp(arrival, true),
      forgetting: (host, cause) => this.overview.forgetting(host, cause),
      sink: events,
    });
    this.pause = new OperatorPause({
      store: options.pauseStore,
      clock,
      sink: events,
      paused: () => this.fleet.pause(),
      resumed: () => {
        this.fleet.resume();
        void discovery()?.cycles.discover();
      },
    });
    this.#watch = () =>
      watchDiscovery({
        clock,
        discovery,
        signal: AbortSignal.any([life.ended, this.#stop.signal]),
        event: (event) => {
          this.fleet.handle(event);
          if (event.type === 'PROVISIONED') this.#cameUp(event, false);
        },
        synced: (intervalMs) => freshness.synced(discoveryName, intervalMs),
        lost: () => freshness.lost(discoveryName),
      });
  }

  /** Runs whose node is not confirmed, and may still be. */
  get pendingConfirmations(): number {
    return this.#confirmations.pending;
  }

  async start(): Promise<void> {
    await this.pause.restore();
    void this.#watch();
  }

  /** SIGTERM: waits for its runs, which are told that they have `graceMs`, and is gone. */
  async stop(graceMs: number): Promise<void> {
    await this.fleet.stop(graceMs);
    this.#confirmations.close();
    this.#stop.abort();
    this.life.end();
  }

  #cameUp({ node, runId, configurationDigest }: Arrival, believed: boolean): void {
    if (runId === undefined) return;
    this.#confirmations.cameUp({ identity: node.identity, runId, configurationDigest }, believed);
  }
}
