// Nodes that come together: one process plays them. They are new, reboot after a while, some with an empty disk, and
// leave for ever.

import { mkdirSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { nodesDirectory, swarmFlags } from '../../../cli/launch/configuration.js';
import { freePorts } from '../../../cli/launch/ports.js';
import { launch, ServiceEndedError, type ServiceProcess } from '../../../cli/launch/service-process.js';
import type { Stack } from '../../../cli/launch/stack.js';
import { oneInWiped } from '../plan.js';
import type { NodesTogether } from './arrivals.js';

/** Most nodes are well. */
const personas = 'healthy=91,slow=3,dead=1,flapping=2,looping=1,cloned=1,lying=1';

export interface RackOptions {
  readonly stack: Stack;
  /** From 1. */
  readonly number: number;
  readonly nodes: number;
  /** Nodes come, also after a reboot, within it. */
  readonly spanMs: number;
  /** In memory, of this rack alone. */
  readonly directory: string;
}

export class Rack implements NodesTogether {
  readonly #options: RackOptions;
  /** One that loses its power says nothing; the others say that they go. */
  readonly #off: NodeJS.Signals;
  #port = 0;
  #process: ServiceProcess | undefined;

  constructor(options: RackOptions) {
    this.#options = options;
    this.#off = options.number % 2 === 0 ? 'SIGKILL' : 'SIGTERM';
  }

  async come(): Promise<void> {
    mkdirSync(this.#options.directory, { recursive: true });
    this.#port = (await freePorts(['rack'])).rack;
    await this.#start();
  }

  async reboot(): Promise<void> {
    await this.#end();
    await this.#wipeSome();
    await this.#start();
  }

  async leave(): Promise<void> {
    await this.#end().finally(() =>
      rm(this.#options.directory, { recursive: true, force: true, maxRetries: 10 }),
    );
  }

  async #start(): Promise<void> {
    const { stack, number, nodes, spanMs, directory } = this.#options;
    const swarm = [
      ...['--identity', `rack-${number}.soak.local`, '--personas', personas],
      ...['--start-within', `${spanMs}ms`, '--share-certificate', '--loglevel', 'error'],
    ];
    // Nobody asks a rack how it is: no monitor.
    const ports = { ...stack.ports, swarm: this.#port, swarmMonitor: 0 };
    const options = { directory, nodes, helper: '', tls: 'required', swarm } as const;
    const args = swarmFlags({ options, ports, trust: stack.trust });
    const logFile = join(directory, 'mock-node.log');
    this.#process = await launch({ service: 'mock-node', args, logFile });
  }

  /** @throws ServiceEndedError where it has ended by itself */
  async #end(): Promise<void> {
    const running = this.#process;
    this.#process = undefined;
    if (running?.exit !== undefined) throw new ServiceEndedError(running);
    await running?.end(this.#off);
  }

  async #wipeSome(): Promise<void> {
    const nodes = nodesDirectory(this.#options.directory);
    const names = (await readdir(nodes)).sort();
    const wiped = names.filter((_, index) => index % oneInWiped === 0);
    await Promise.all(wiped.map((name) => rm(join(nodes, name), { recursive: true, force: true })));
  }
}
