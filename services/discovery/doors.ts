// Where discovery is reached: the listener for nodes, the one for consumers, and the monitor port.

import { NodeRegistryServiceService } from '../../shared/gen/slipway/discovery/v1/registry.js';
import {
  type RunningServer,
  type ServedService,
  type StartServerOptions,
  startServer,
} from '../../shared/grpc/server.js';
import type { Logger } from '../../shared/logger.js';
import type { Metrics } from '../../shared/metrics/registry.js';
import { type Monitor, type Readiness, startMonitor } from '../../shared/monitor.js';
import { unmapIp } from '../../shared/net/addresses.js';
import type { Tls } from '../../shared/tls/load-tls.js';
import { anchoredServerCredentials } from '../../shared/tls/server-credentials.js';
import { discoveryAccess, registryAccess } from './api/access.js';
import { discoveryService, discoveryServiceDefinition } from './api/discovery-service.js';
import { registryService } from './api/registry-service.js';
import type { DiscoveryConfig } from './config.js';
import type { Discovery, Surroundings } from './discovery.js';
import { originOf } from './reports/source-rates.js';

export type Addresses = Readonly<Record<'nodes' | 'consumers' | 'monitor', string>>;

/** A report is small; of a peer that sends more no more is read: bytes. */
const largestReport = 65_536;

/** Reports that one connection has under way: nodes of one process, or behind one proxy, share it. */
const reportsAtOnce = 256;

/** Connections of nodes, open for a moment each; those that stay make room. With calls on them they are never idle. */
const mostConnections = 1024;

/** A node that keeps its connection open has it closed when it has said nothing for so long: milliseconds. */
const longestIdleMs = 60_000;

/**
 * Nodes that are connected and have not been answered. Where nodes are far away there have to be many, for a handshake
 * takes three ways there and back; where the processor is what is short, few, for all that come ready in one turn of the
 * loop keep everybody else waiting.
 */
const connectionsAtOnce = { fewest: 48, most: 256 } as const;

/** What is kept of the time to stop, to end in good order: milliseconds. */
const reserveMs = 500;

export class Doors {
  readonly #config: DiscoveryConfig;
  readonly #tls: Tls | undefined;
  readonly #metrics: Metrics;
  readonly #log: Logger;
  readonly #servers: RunningServer[] = [];
  #monitor: Monitor | undefined;
  #serving = false;

  /** @param tls undefined: without encryption, and everybody may call everything */
  constructor(config: DiscoveryConfig, tls: Tls | undefined, metrics: Metrics, log: Logger) {
    this.#config = config;
    this.#tls = tls;
    this.#metrics = metrics;
    this.#log = log;
    tls?.files.onExpiryChange(() => this.#tellHealth());
  }

  /** @throws ListenError; what was opened before it stays open */
  async open(discovery: Discovery, { clock }: Pick<Surroundings, 'clock'>): Promise<void> {
    const log = this.#log;
    const { metrics, registry, events, cycles, intake, trust } = discovery;
    const { listen, listen_nodes, interval, monitor_host, monitor_port } = this.#config;
    if (monitor_port !== 0) {
      const ready = () => this.#readiness();
      this.#monitor = await startMonitor({
        host: monitor_host,
        port: monitor_port,
        metrics: this.#metrics,
        ready,
        log,
      });
    }
    const consumers = discoveryService({
      clock,
      log,
      registry,
      events,
      cycles,
      intervalMs: interval,
      watching: (change) => metrics.watching(change),
    });
    const nodes = registryService({
      intake,
      trust,
      log,
      taken: (type) => metrics.reportTaken(type),
      refused: (reason, peerIp, message) => discovery.refused(reason, peerIp, message),
    });
    const tls = this.#tls;
    await this.#serve(
      listen,
      {
        definition: discoveryServiceDefinition,
        implementation: consumers,
        access: discoveryAccess,
      },
      tls && { credentials: tls.serverCredentials, authenticator: tls.authenticator },
    );
    await this.#serve(
      listen_nodes,
      { definition: NodeRegistryServiceService, implementation: nodes, access: registryAccess },
      {
        ...(tls && { credentials: anchoredServerCredentials(tls.files) }),
        options: {
          'grpc.max_receive_message_length': largestReport,
          'grpc.max_concurrent_streams': reportsAtOnce,
          'grpc.max_connection_idle_ms': longestIdleMs,
        },
        mostStrangers: mostConnections,
        gate: {
          atOnce: connectionsAtOnce,
          sourceOf: ({ remoteAddress = '' }) => originOf(unmapIp(remoteAddress)),
          turnedAway: () => discovery.turnedAway(),
        },
      },
    );
  }

  /** Empty for what is not open. */
  get addresses(): Addresses {
    const [consumers, nodes] = this.#servers;
    return {
      nodes: nodes?.address ?? '',
      consumers: consumers?.address ?? '',
      monitor: this.#monitor?.address ?? '',
    };
  }

  /** What health and readiness say, as long as the certificate is valid. */
  setServing(serving: boolean): void {
    this.#serving = serving;
    this.#tellHealth();
  }

  /** Ends streams, lets calls finish for as long as there is time, and closes. */
  async close(graceMs: number): Promise<void> {
    const leftMs = Math.max(graceMs - reserveMs, 0);
    await Promise.all(this.#servers.map((server) => server.stop(leftMs)));
    await this.#monitor?.close();
  }

  #readiness(): Readiness {
    const why = this.#serving ? this.#tls?.files.whyExpired : 'discovery is starting or stopping';
    return why === undefined ? { ready: true } : { ready: false, why };
  }

  #tellHealth(): void {
    const { ready } = this.#readiness();
    for (const server of this.#servers) server.setServing(ready);
  }

  async #serve(
    listen: string,
    service: ServedService,
    options: Partial<StartServerOptions> = {},
  ): Promise<void> {
    const server = await startServer({
      listen,
      services: [service],
      log: this.#log,
      serving: false,
      ...options,
    });
    this.#servers.push(server);
  }
}
