// Discovery without its listeners: the registry with all that feeds it and reads it, wired together.

import { setMaxListeners } from 'node:events';
import { v4 } from 'uuid';
import type { Clock } from '../../shared/clock.js';
import type { Logger } from '../../shared/logger.js';
import type { Metrics } from '../../shared/metrics/registry.js';
import { type Lookup, parseCidr } from '../../shared/net/dial-policy.js';
import type { TokenVerifier } from '../../shared/trust/token-verifier.js';
import type { DiscoveryConfig } from './config.js';
import { Cycles } from './cycles/cycles.js';
import { TargetProbes } from './cycles/target-probes.js';
import { type ReadText, Targets } from './cycles/targets.js';
import { Ticker } from './cycles/ticker.js';
import { Registry } from './leases/registry.js';
import { SightingSlots } from './leases/sighting-slots.js';
import { type DiscoveryMetrics, discoveryMetrics } from './metrics.js';
import type { RefusalReason } from './nodes/announcement.js';
import type { NodeEvent } from './nodes/node-event.js';
import { Limiter } from './probes/limiter.js';
import { cachedLookup } from './probes/name-cache.js';
import type { Prober } from './probes/prober.js';
import { Intake } from './reports/intake.js';
import { type BusyTime, Load } from './reports/load.js';
import { Pace } from './reports/pace.js';
import { type RefusalSummary, Refusals } from './reports/refusals.js';
import { originOf, SourceRates } from './reports/source-rates.js';
import { ReportTrust } from './reports/trust.js';
import { EventLog } from './watch/event-log.js';

/** What discovery reaches the world through. */
export interface Surroundings {
  readonly clock: Clock;
  readonly lookup: Lookup;
  readonly readText: ReadText;
  readonly prober: Prober;
  readonly busyMs: BusyTime;
  /** Undefined where provisioning tokens are not checked. */
  readonly tokens: Pick<TokenVerifier, 'verify'> | undefined;
}

/** Incumbents that are asked at once, for each static target that is: nodes wait for the answer. */
const incumbentsPerTarget = 8;

/** The interval is done in parts of about this length: milliseconds. */
const partMs = 100;
const mostParts = 1000;

const secondMs = 1000;

export class Discovery {
  readonly registry: Registry;
  readonly events: EventLog;
  readonly trust: ReportTrust;
  readonly intake: Intake;
  readonly cycles: Cycles;
  readonly metrics: DiscoveryMetrics;
  readonly #refusals: Refusals;
  readonly #load: Load;
  readonly #ticker: Ticker;
  readonly #stopped = new AbortController();

  constructor(config: DiscoveryConfig, surroundings: Surroundings, metrics: Metrics, log: Logger) {
    const { clock, prober, readText, tokens } = surroundings;
    const { signal } = this.#stopped;
    this.#load = new Load(surroundings.busyMs);
    // Every probe under way listens to it, and takes its listener off again: that is no leak.
    setMaxListeners(0, signal);
    const lookup = cachedLookup(surroundings.lookup, clock);
    const nodeNetworks = config.node_networks.map(parseCidr);
    const slots = new SightingSlots(Math.min(Math.ceil(config.interval / partMs), mostParts));
    this.events = new EventLog(v4(), config.event_ring);
    this.registry = new Registry({
      clock,
      maxNodes: config.max_nodes,
      maxNodesPerSource: config.max_nodes_per_source,
      provisionedRetentionMs: config.provisioned_retention,
      slots,
      prober,
      limiter: new Limiter(config.probe_concurrency * incumbentsPerTarget),
      tellEveryMs: config.interval,
      signal,
      tell: (event) => {
        this.events.append(event);
        logEvent(log, event);
      },
      passed: ({ identity, address, bootId }, newcomer) =>
        log.info(
          {
            identity,
            address: newcomer.address,
            boot_id: newcomer.bootId,
            from: address,
            from_boot_id: bootId,
          },
          'a node is at another address: who was there before did not answer',
        ),
    });
    this.metrics = discoveryMetrics(metrics, this.registry);
    this.trust = new ReportTrust({ clock, certificateNeeded: config.tls.mode === 'required', tokens });
    this.#refusals = new Refusals(clock, (summaries) => logRefusals(log, summaries));
    this.intake = new Intake({
      registry: this.registry,
      pace: new Pace(
        clock,
        { reportIntervalMs: config.report_interval, maxReportsPerSecond: config.max_reports_per_second },
        this.#load,
      ),
      load: this.#load,
      sourceRates: new SourceRates(clock, config.max_reports_per_source),
      trustAdvertisedHost: config.trust_advertised_host,
      nodeNetworks,
      lookup,
    });
    this.cycles = new Cycles({
      clock,
      registry: this.registry,
      targets: new Targets(config.targets, readText, (problem) => log.warn(`targets: ${problem}`)),
      probes: new TargetProbes({
        registry: this.registry,
        prober,
        limiter: new Limiter(config.probe_concurrency),
        nodeNetworks,
        lookup,
        intervalMs: config.interval,
        signal,
        failed: (target, why) => {
          this.metrics.probeFailed();
          log.debug({ target }, `probe failed: ${why}`);
        },
      }),
      intervalMs: config.interval,
      slots: slots.count,
      completed: () => this.metrics.cycleCompleted(),
    });
    this.#ticker = new Ticker(clock, secondMs, 1, () => {
      this.#load.tick();
      this.registry.tick(this.#load.crowded);
      this.#refusals.tick();
    });
  }

  async start(): Promise<void> {
    this.#ticker.start();
    await this.cycles.start();
  }

  /** A report was refused: counted, and told of in a while. */
  refused(reason: RefusalReason, peerIp: string, message: string): void {
    this.metrics.reportRefused(reason);
    this.#refusals.count(reason, originOf(peerIp), message);
  }

  /** A node's connection was closed because more came than could be served. */
  turnedAway(): void {
    this.metrics.nodeTurnedAway();
    this.#load.turnedAway();
  }

  /** Ends cycles and probes. */
  stop(): void {
    this.#stopped.abort(new Error('discovery is stopping'));
    this.#ticker.stop();
    this.cycles.stop();
  }
}

function logRefusals(log: Logger, summaries: readonly RefusalSummary[]): void {
  for (const { message, ...facts } of summaries) log.warn(facts, `reports are refused: ${message}`);
}

function logEvent(log: Logger, event: NodeEvent): void {
  const { type, node } = event;
  const fields = { identity: node.identity, address: node.address, boot_id: node.bootId };
  if (type === 'CONFLICT') {
    const { newcomer } = event;
    log.warn(
      { ...fields, newcomer: newcomer.address, newcomer_boot_id: newcomer.bootId },
      'two machines report under one name; the one that was there first keeps it while it answers',
    );
  } else if (type !== 'SIGHTED' && log.isLevelEnabled('debug')) {
    log.debug(type === 'PROVISIONED' ? { ...fields, run_id: event.runId } : fields, type);
  }
}
