// Puts the mock node together: folder, listeners, nodes, monitor; and takes it apart in order.

import { randomBytes, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, systemClock } from '../../shared/clock.js';
import { insecureNodeCredentials } from '../../shared/grpc/credentials.js';
import type { Logger } from '../../shared/logger.js';
import { type Monitor, type Readiness, startMonitor } from '../../shared/monitor.js';
import type { App } from '../../shared/process/run-process.js';
import { StartError } from '../../shared/process/start-error.js';
import { productVersion } from '../../shared/process/version.js';
import { type Random, systemRandom } from '../../shared/random.js';
import { Secret } from '../../shared/secret.js';
import { Phases } from '../../shared/shutdown.js';
import type { MockNodeConfig } from './config.js';
import { createMetrics, type MockNodeMetrics } from './metrics.js';
import { RegistryClient } from './reports/registry-client.js';
import { Slots } from './slots.js';
import { diskFiles, sharingSyncs, temporaryFiles } from './state/files.js';
import { NodeStore } from './state/node-store.js';
import { openStateRoot, type StateRoot } from './state/root.js';
import { type Listeners, startListeners } from './swarm/listeners.js';
import { loopbackHost } from './swarm/names.js';
import { Node } from './swarm/node.js';
import { Swarm } from './swarm/swarm.js';

export interface MockNodeOverrides {
  readonly clock?: Clock;
  readonly random?: Random;
}

export interface MockNodeApp extends App {
  readonly swarm: Swarm;
}

/** How many nodes use the disk at once: more than the threads that serve it keeps them all busy. */
const diskUsers = 16;

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
  const secret = await readSecret(config.secretFile);
  const root = await openRoot(config.directory);
  let swarm: Swarm | undefined;
  let listeners: Listeners | undefined;
  try {
    const metrics = createMetrics(() => swarm?.counts ?? noNodes);
    listeners = await startListeners({
      addressing: config.addressing,
      listen: config.listen,
      nodes: config.identities.length,
      agentOf: (index) => swarm?.node(index)?.agent,
      onCall: metrics.countCall,
      log,
    });
    const registry = createRegistry(config, clock);
    swarm = createSwarm(config, { secret, root, listeners, registry, metrics, clock, random, log });
    const monitor = await startMonitorOf(config, swarm, metrics, log);
    const booting = swarm.start(config.startWithinMs);
    return asApp({ swarm, listeners, registry, monitor, root, booting, log });
  } catch (error) {
    await listeners?.stop(0);
    await root.dispose();
    throw error;
  }
}

interface Parts {
  readonly secret: Secret | undefined;
  readonly root: StateRoot;
  readonly listeners: Listeners;
  readonly registry: RegistryClient | undefined;
  readonly metrics: MockNodeMetrics;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

function createSwarm(config: MockNodeConfig, parts: Parts): Swarm {
  const { clock, random, log } = parts;
  const { identities, addressing, advertiseHost } = config;
  const { registry } = parts;
  const disk = new Slots(diskUsers);
  const files =
    config.directory === undefined ? temporaryFiles : sharingSyncs(diskFiles, parts.root.directory);
  const version = productVersion();
  return new Swarm({
    count: identities.length,
    clock,
    log,
    newNode: (index, onPhase) => {
      const identity = identities[index];
      if (identity === undefined) throw new Error(`node ${index} has no name`);
      const directory = join(parts.root.directory, identity);
      return new Node({
        identity,
        host: addressing === 'LOOPBACK' ? loopbackHost(index) : advertiseHost,
        port: parts.listeners.portOf(index),
        version,
        secret: parts.secret,
        downMs: config.downMs,
        newStore: () => new NodeStore({ identity, directory, files, disk }),
        registry,
        randomBytes,
        newEventId: randomUUID,
        clock,
        random,
        log,
        onPhase,
        onCommitted: parts.metrics.countConfiguration,
      });
    },
  });
}

function createRegistry({ discovery, identities }: MockNodeConfig, clock: Clock): RegistryClient | undefined {
  if (discovery === undefined) return undefined;
  return new RegistryClient({
    address: discovery,
    credentials: insecureNodeCredentials(clock),
    lingerMs: identities.length === 1 ? 0 : swarmLingerMs,
    clock,
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
  readonly listeners: Listeners;
  readonly registry: RegistryClient | undefined;
  readonly monitor: Monitor | undefined;
  readonly root: StateRoot;
  readonly booting: Promise<void>;
  readonly log: Logger;
}): MockNodeApp {
  const { swarm, listeners, registry, monitor, root, booting, log } = parts;
  const stopping = new Phases()
    .add('nodes', async () => {
      await swarm.end(lastReportsMs);
      await booting;
      registry?.close();
    })
    .add('listeners', (leftMs) => listeners.stop(leftMs))
    .add('monitor', () => monitor?.close())
    .add('files', () => root.dispose());
  return {
    swarm,
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

async function readSecret(file: string | undefined): Promise<Secret | undefined> {
  if (file === undefined) return undefined;
  const text = await readFile(file, 'utf8').catch((cause) => {
    throw new StartError(`--secret-file ${file} cannot be read: ${reasonOf(cause)}`, { cause });
  });
  if (text.trim() === '') throw new StartError(`--secret-file ${file} is empty`);
  return new Secret(text.trim());
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
