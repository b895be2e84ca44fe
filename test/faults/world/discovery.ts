// One life of discovery in the world: its real registry with the cycles that sight nodes, reached by nodes and
// watched by provisioners without a network.

import { status } from '@grpc/grpc-js';
import { Cycles } from '../../../services/discovery/cycles/cycles.js';
import { TargetProbes } from '../../../services/discovery/cycles/target-probes.js';
import { Targets } from '../../../services/discovery/cycles/targets.js';
import { Ticker } from '../../../services/discovery/cycles/ticker.js';
import { Registry } from '../../../services/discovery/leases/registry.js';
import { SightingSlots } from '../../../services/discovery/leases/sighting-slots.js';
import type { Report } from '../../../services/discovery/nodes/announcement.js';
import { defaultComponent } from '../../../services/discovery/nodes/node.js';
import { Limiter } from '../../../services/discovery/probes/limiter.js';
import type { Prober } from '../../../services/discovery/probes/prober.js';
import { Intake } from '../../../services/discovery/reports/intake.js';
import { Load } from '../../../services/discovery/reports/load.js';
import { Pace } from '../../../services/discovery/reports/pace.js';
import { SourceRates } from '../../../services/discovery/reports/source-rates.js';
import { EventLog, type Position } from '../../../services/discovery/watch/event-log.js';
import { everyNode } from '../../../services/discovery/watch/filter.js';
import { type WatchItem, watch } from '../../../services/discovery/watch/watch.js';
import type { Report as NodeReport } from '../../../services/mock-node/reports/report.js';
import type { Clock } from '../../../shared/clock.js';
import { RpcError } from '../../../shared/grpc/errors.js';
import { Life } from './life.js';

export interface WorldDiscoveryOptions {
  readonly clock: Clock;
  readonly prober: Prober;
  readonly epoch: string;
  /** Live nodes are sighted once in it: milliseconds. */
  readonly intervalMs: number;
}

/** As its settings have them by default. */
const defaults = {
  maxNodes: 200_000,
  maxNodesPerSource: 0,
  provisionedRetentionMs: 600_000,
  eventRing: 100_000,
  pace: { reportIntervalMs: 10_000, maxReportsPerSecond: 500 },
};

/** Few, so that the fake clock has little to do. */
const slots = 10;

export class WorldDiscovery {
  readonly life = new Life();
  readonly intervalMs: number;
  readonly registry: Registry;
  readonly cycles: Cycles;
  readonly #clock: Clock;
  readonly #log: EventLog;
  readonly #intake: Intake;
  readonly #ticker: Ticker;
  #watches = new AbortController();

  constructor({ clock: world, prober, epoch, intervalMs }: WorldDiscoveryOptions) {
    const clock = this.life.clock(world);
    const signal = this.life.ended;
    const lookup = async () => [];
    this.#clock = clock;
    this.intervalMs = intervalMs;
    this.#log = new EventLog(epoch, defaults.eventRing);
    this.registry = new Registry({
      ...defaults,
      clock,
      slots: new SightingSlots(slots),
      prober,
      limiter: new Limiter(512),
      tellEveryMs: intervalMs,
      signal,
      tell: (event) => this.#log.append(event),
    });
    const load = new Load(() => 0);
    this.#intake = new Intake({
      registry: this.registry,
      pace: new Pace(clock, defaults.pace, load),
      load,
      sourceRates: new SourceRates(clock, 0),
      trustAdvertisedHost: false,
      nodeNetworks: [],
      lookup,
    });
    const readText = () => Promise.reject(new Error('there are no files'));
    this.cycles = new Cycles({
      clock,
      registry: this.registry,
      targets: new Targets([], readText, () => {}),
      probes: new TargetProbes({
        registry: this.registry,
        prober,
        limiter: new Limiter(64),
        nodeNetworks: [],
        lookup,
        intervalMs,
        signal,
        failed: () => {},
      }),
      intervalMs,
      slots,
      completed: () => {},
    });
    this.#ticker = new Ticker(clock, 1_000, 1, () => this.registry.tick());
  }

  get epoch(): string {
    return this.#log.epoch;
  }

  async start(): Promise<void> {
    this.#ticker.start();
    await this.cycles.start();
  }

  /**
   * Takes what a node says.
   *
   * @returns milliseconds until its next report
   * @throws RpcError
   */
  async report(said: NodeReport, certificateSha256: string, ip: string): Promise<number> {
    const outcome = await this.#intake.take(reportOf(said, certificateSha256), ip);
    if (this.life.isOver) throw new RpcError(status.UNAVAILABLE, 'Connection dropped');
    if (outcome.kind === 'ACCEPTED') return outcome.reply.nextReportMs;
    const { reason, message, retryAfterMs } = outcome;
    const code = retryAfterMs === undefined ? status.FAILED_PRECONDITION : status.RESOURCE_EXHAUSTED;
    throw new RpcError(code, message, { reason, retryAfterMs });
  }

  /** The connections of those who watch break. */
  breakWatches(): void {
    this.#watches.abort(new Error('the connection is gone'));
    this.#watches = new AbortController();
  }

  /** As WatchNodes: who is there, that this was all, and then what happens. Rejects when either side is gone. */
  watch(resume: Position | undefined, send: (item: WatchItem) => void, signal: AbortSignal): Promise<never> {
    const both = AbortSignal.any([signal, this.life.ended, this.#watches.signal]);
    return watch({
      clock: this.#clock,
      log: this.#log,
      present: this.registry,
      filter: everyNode,
      resume,
      send: async (item) => {
        both.throwIfAborted();
        send(item);
      },
      signal: both,
    });
  }
}

/** As the report is read from the wire. */
function reportOf(said: NodeReport, certificateSha256: string): Report {
  const { type, eventId, identity, bootId, version, sequence, host, port, provisioned } = said;
  return {
    type,
    eventId,
    identity,
    bootId,
    version,
    host,
    port,
    certificateSha256,
    component: defaultComponent,
    labels: {},
    sequence: BigInt(sequence),
    digest: JSON.stringify(said),
    runId: provisioned?.runId,
    configurationDigest: provisioned?.configurationDigest ?? '',
  };
}
