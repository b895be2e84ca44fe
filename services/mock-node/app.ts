// Puts the mock node together: folder, listeners, nodes, monitor; and takes it apart in order.

import { type Clock, systemClock } from '../../shared/clock.js';
import type { Logger } from '../../shared/logger.js';
import { type Monitor, type Readiness, startMonitor } from '../../shared/monitor.js';
import type { App } from '../../shared/process/run-process.js';
import { StartError } from '../../shared/process/start-error.js';
import { type Random, systemRandom } from '../../shared/random.js';
import { Phases } from '../../shared/shutdown.js';
import { RefusedProofs } from './api/refused-proofs.js';
import { bootCredentials } from './boot/boot-credentials.js';
import { readCa, readHeld } from './boot/held.js';
import type { MockNodeConfig } from './config.js';
import type { Faults } from './faults/faults.js';
import { type Orders, openOrders } from './faults/orders.js';
import { createMetrics, type MockNodeMetrics } from './metrics.js';
import { createSwarm } from './nodes.js';
import type { Part } from './personas/assignment.js';
import { Cast } from './personas/cast.js';
import { Registries } from './reports/registries.js';
import { openStateRoot, type StateRoot } from './state/root.js';
import { type Listeners, startListeners } from './swarm/listeners.js';
import type { Swarm } from './swarm/swarm.js';

export interface MockNodeOverrides {
  readonly clock?: Clock;
  readonly random?: Random;
}

export interface MockNodeApp extends App {
  readonly swarm: Swarm;
  /** @returns what the node of this index plays; undefined where all nodes are healthy */
  personaOf(index: number): Part | undefined;
  /** What befalls calls to the nodes. */
  readonly faults: Faults;
  /** Reads the file of faults now, where there is one. */
  readFaults(): Promise<void>;
}

/** The whole stop, and how much of it nodes have to report that they go: milliseconds. */
const shutdownGraceMs = 10_000;
const lastReportsMs = 3_000;

/** How long the channel of a swarm stays open for the next node's report: milliseconds. */
const swarmLingerMs = 2_000;

/**
 * Starts the nodes. Resolves when it listens; the nodes come up after it.
 *
 * @throws ListenError, StartError
 */
export async function createApp(
  config: MockNodeConfig,
  log: Logger,
  overrides: MockNodeOverrides = {},
): Promise<MockNodeApp> {
  const { clock = systemClock, random = systemRandom } = overrides;
  const { caFile, discovery } = config;
  const held = await readHeld(config, clock, log);
  const caPem = caFile === undefined ? undefined : await readCa(caFile);
  const root = await openRoot(config.directory);
  const cast = new Cast(config.personas, random);
  if (cast.counts !== undefined) log.info(cast.counts, 'the personas of the nodes');
  let swarm: Swarm | undefined;
  let listeners: Listeners | undefined;
  let orders: Orders | undefined;
  try {
    const refusedProofs = new RefusedProofs(clock, (message) => log.warn(message));
    const metrics = createMetrics(() => swarm?.counts ?? noNodes);
    orders = await openOrders({
      faults: config.faults,
      file: config.faultFile,
      identities: config.identities,
      clock,
      random,
      log,
      onStrike: metrics.countFault,
    });
    const { faults, injection } = orders;
    listeners = await startListeners({
      addressing: config.addressing,
      listen: config.listen,
      nodes: config.identities.length,
      agentOf: (index) => swarm?.node(index)?.served,
      tls: config.tls,
      credentialsOf: (index) => swarm?.node(index)?.serverCredentials,
      injection,
      // Of two that end a call the first does: what is ordered.
      strike: (index, rpc) => [
        ...faults.strike(config.identities[index] ?? '', rpc),
        ...cast.strike(index, rpc),
      ],
      connectionsOf: (index) => cast.connectionsOf(index),
      crash: (index, graceMs) => swarm?.node(index)?.crash(graceMs),
      onCall: metrics.countCall,
      onProofRefused: () => refusedProofs.count(),
      log,
    });
    const { release } = listeners;
    const registries =
      discovery === undefined ? undefined : createRegistries(config, discovery, caPem, clock, log);
    const { tls, shareCertificate } = config;
    const newCredentials = bootCredentials({ ...held, tls, shareCertificate, registries, release, clock });
    swarm = createSwarm(config, { newCredentials, root, cast, listeners, metrics, clock, random, log });
    const monitor = await startMonitorOf(config, swarm, metrics, log);
    const booting = swarm.start(config.startWithinMs);
    return asApp({ swarm, cast, listeners, orders, registries, monitor, root, booting, log });
  } catch (error) {
    orders?.close();
    await listeners?.stop(0);
    await root.dispose();
    throw error;
  }
}

function createRegistries(
  config: MockNodeConfig,
  discovery: string,
  caPem: string | undefined,
  clock: Clock,
  log: Logger,
): Registries {
  return new Registries({
    address: discovery,
    tls: config.tls,
    caPem,
    lingerMs: config.identities.length === 1 ? 0 : swarmLingerMs,
    clock,
    warn: (message) => log.warn(message),
  });
}

async function startMonitorOf(
  config: MockNodeConfig,
  swarm: Swarm,
  { metrics }: MockNodeMetrics,
  log: Logger,
): Promise<Monitor | undefined> {
  if (config.monitorPort === 0) return undefined;
  const ready = (): Readiness =>
    swarm.started ? { ready: true } : { ready: false, why: 'not all nodes have booted yet' };
  return await startMonitor({ host: config.monitorHost, port: config.monitorPort, metrics, ready, log });
}

function asApp(parts: {
  readonly swarm: Swarm;
  readonly cast: Cast;
  readonly listeners: Listeners;
  readonly orders: Orders;
  readonly registries: Registries | undefined;
  readonly monitor: Monitor | undefined;
  readonly root: StateRoot;
  readonly booting: Promise<void>;
  readonly log: Logger;
}): MockNodeApp {
  const { swarm, cast, listeners, orders, registries, monitor, root, booting, log } = parts;
  const stopping = new Phases()
    .add('nodes', async () => {
      orders.close();
      await swarm.end(lastReportsMs);
      await booting;
      registries?.close();
    })
    .add('listeners', (leftMs) => listeners.stop(leftMs))
    .add('monitor', () => monitor?.close())
    .add('files', () => root.dispose());
  return {
    swarm,
    personaOf: (index) => cast.part(index),
    faults: orders.faults,
    readFaults: () => orders.readFile(),
    addresses: {
      nodes: listeners.address,
      ...(monitor !== undefined && { monitor: monitor.address }),
    },
    done: swarm.allShutDown,
    stop: async () => {
      await stopping.run(shutdownGraceMs, log);
    },
  };
}

async function openRoot(directory: string | undefined): Promise<StateRoot> {
  try {
    return await openStateRoot(directory);
  } catch (cause) {
    throw new StartError(`--dir ${directory ?? ''} cannot be used: ${reasonOf(cause)}`, { cause });
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const noNodes = { STOPPED: 0, DOWN: 0, PROVISIONING: 0, CONFIGURED: 0, STOPPING: 0 } as const;
