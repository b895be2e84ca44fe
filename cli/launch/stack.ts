// Discovery, provisioner and a swarm of nodes on loopback, each a process of its own that can be killed
// and started again at the same address. The demo, the end-to-end tests and the benchmarks run on it.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import {
  discoveryConfig,
  type Layout,
  needsTrust,
  nodesDirectory,
  type Ports,
  portNames,
  provisionerConfig,
  type StackOptions,
  swarmFlags,
} from './configuration.js';
import { freePorts } from './ports.js';
import type { ServiceName } from './project.js';
import { isReady, type Samples, scrape } from './scrape.js';
import { type Exit, launch, ServiceEndedError, type ServiceProcess } from './service-process.js';
import { makeTrust, type Trust } from './trust.js';
import { until } from './until.js';

export interface StartOptions {
  /** Default true. */
  readonly untilReady?: boolean;
  /** Ends the waiting, not the service. */
  readonly signal?: AbortSignal | undefined;
}

const readyWithinMs = 60_000;

export class Stack {
  readonly directory: string;
  readonly ports: Ports;
  /** Certificates, keys and token; undefined where nothing is encrypted and nothing is checked. */
  readonly trust: Trust | undefined;
  readonly #layout: Layout;
  readonly #running = new Map<ServiceName, ServiceProcess>();

  private constructor(layout: Layout) {
    this.directory = layout.options.directory;
    this.ports = layout.ports;
    this.trust = layout.trust;
    this.#layout = layout;
  }

  /** Chooses ports, makes certificates and tokens and writes the configuration; starts nothing yet. */
  static async prepare(options: StackOptions): Promise<Stack> {
    mkdirSync(options.directory, { recursive: true });
    const trust = needsTrust(options) ? await makeTrust(join(options.directory, 'trust')) : undefined;
    const stack = new Stack({ options, ports: await freePorts(portNames), trust });
    stack.#write('discovery', discoveryConfig(stack.#layout));
    stack.#write('provisioner', provisionerConfig(stack.#layout));
    return stack;
  }

  /** The state of the nodes on disk, one folder per identity. */
  get nodesDirectory(): string {
    return nodesDirectory(this.directory);
  }

  /**
   * Starts one service and resolves when it is ready, or only started where `untilReady` is false.
   *
   * @throws ServiceEndedError where it ends before it is ready
   */
  async start(service: ServiceName, options: StartOptions = {}): Promise<ServiceProcess> {
    options.signal?.throwIfAborted();
    const started = await launch({
      service,
      args: service === 'mock-node' ? swarmFlags(this.#layout) : ['--config', this.configFile(service)],
      logFile: this.logFile(service),
    });
    this.#running.set(service, started);
    if (options.untilReady ?? true) await this.#untilReady(started, options.signal);
    return started;
  }

  /** Starts all three, nodes last. */
  async startAll(signal?: AbortSignal): Promise<Readonly<Record<ServiceName, ServiceProcess>>> {
    const discovery = await this.start('discovery', { signal });
    const provisioner = await this.start('provisioner', { signal });
    return { discovery, provisioner, 'mock-node': await this.start('mock-node', { signal }) };
  }

  /** Sends a signal to one service, where it runs, and resolves when it has ended. */
  async end(service: ServiceName, signal: NodeJS.Signals = 'SIGTERM'): Promise<Exit | undefined> {
    const running = this.#running.get(service);
    this.#running.delete(service);
    return running?.end(signal);
  }

  /**
   * Ends all that runs, the provisioner first: what it has begun with nodes it finishes. What does not end within
   * the time is killed.
   */
  async endAll(withinMs = 30_000): Promise<void> {
    const timer = setTimeout(() => this.killAll(), withinMs);
    await this.#running.get('provisioner')?.end('SIGTERM');
    await Promise.all([...this.#running.values()].map((running) => running.end('SIGTERM')));
    this.#running.clear();
    clearTimeout(timer);
  }

  /** Kills all that runs. */
  killAll(): void {
    for (const running of this.#running.values()) void running.end('SIGKILL');
  }

  /** @returns a service that was started here and ended by itself; undefined where there is none */
  get lost(): ServiceProcess | undefined {
    return [...this.#running.values()].find(({ exit }) => exit !== undefined);
  }

  configFile(service: ServiceName): string {
    return join(this.directory, `${service}.yaml`);
  }

  logFile(service: ServiceName): string {
    return join(this.directory, `${service}.log`);
  }

  /** @returns the service's metrics, or undefined where it does not answer */
  metrics(service: ServiceName): Promise<Samples | undefined> {
    return scrape(this.#monitorPort(service));
  }

  async #untilReady(started: ServiceProcess, signal: AbortSignal | undefined): Promise<void> {
    await until(
      () => {
        if (started.exit !== undefined) throw new ServiceEndedError(started);
        return isReady(this.#monitorPort(started.service));
      },
      { what: `${started.service} ready (its log is ${started.logFile})`, timeoutMs: readyWithinMs, signal },
    );
  }

  #monitorPort(service: ServiceName): number {
    switch (service) {
      case 'discovery':
        return this.ports.discoveryMonitor;
      case 'provisioner':
        return this.ports.provisionerMonitor;
      case 'mock-node':
        return this.ports.swarmMonitor;
    }
  }

  #write(service: ServiceName, config: Readonly<Record<string, unknown>>): void {
    writeFileSync(this.configFile(service), stringify(config));
  }
}
