// Looks at a stack under load from the beginning of a phase to its end.

import { setTimeout as wait } from 'node:timers/promises';
import type { Stack } from '../../../cli/launch/stack.js';
import { type Cost, Costs } from '../measure/processes.js';
import { Program } from '../measure/program.js';
import type { ProbePlan, Seen } from '../programs/probes.js';
import type { ReportingFleet } from './fleet.js';
import { type Course, courseOf, type Phase, phaseOf } from './phase.js';

export interface ObserverOptions {
  readonly stack: Stack;
  readonly fleet: ReportingFleet;
  readonly tls: boolean;
  /** Of discovery as it runs now. */
  readonly discoveryPid: () => number;
}

const lookEveryMs = 500;

export class Observer {
  readonly #options: ObserverOptions;
  readonly #probes: Program;

  private constructor(options: ObserverOptions, probes: Program) {
    this.#options = options;
    this.#probes = probes;
  }

  static async start(options: ObserverOptions): Promise<Observer> {
    const { ports, trust } = options.stack;
    const plan: ProbePlan = {
      discovery: `127.0.0.1:${ports.consumers}`,
      provisioner: `127.0.0.1:${ports.provisioner}`,
      discoveryMonitor: ports.discoveryMonitor,
      certificates: options.tls ? trust?.certificates : undefined,
    };
    const probes = new Program('bench/programs/probes.ts', [JSON.stringify(plan)]);
    await probes.line();
    return new Observer(options, probes);
  }

  /**
   * Looks until a number is reached, or the time is over.
   *
   * @param count what is counted: {@link known}, for instance
   * @param wanted how many there are to be; undefined: looks for all of the time
   */
  async phase(
    count: () => Promise<number>,
    wanted: number | undefined,
    longestMs: number,
  ): Promise<{ readonly phase: Phase; readonly course: Course }> {
    const { fleet, discoveryPid } = this.#options;
    await this.#seen();
    fleet.take();
    fleet.mark();
    const costs = new Costs({ discovery: () => [discoveryPid()] });
    const began = performance.now();
    const over = () => performance.now() - began;
    let known = await count();
    while (over() < longestMs && (wanted === undefined || known !== wanted)) {
      await wait(lookEveryMs);
      known = await count();
    }
    const seconds = over() / 1000;
    const cost = costs.now.discovery as Cost;
    const tallies = fleet.take();
    const phase = phaseOf({ seconds, known, heard: fleet.heard, tallies, seen: await this.#seen(), cost });
    return { phase, course: courseOf(tallies) };
  }

  /** @returns nodes that discovery knows; 0 where it does not answer */
  async known(): Promise<number> {
    const samples = await this.#options.stack.metrics('discovery');
    return samples?.sum('slipway_discovery_nodes', { state: 'PROVISIONING' }) ?? 0;
  }

  /** @returns hosts that the provisioner knows; 0 where it does not answer */
  async hosts(): Promise<number> {
    const samples = await this.#options.stack.metrics('provisioner');
    return samples?.sum('slipway_provisioner_hosts') ?? 0;
  }

  kill(): void {
    this.#probes.kill();
  }

  #seen(): Promise<Seen> {
    this.#probes.say('');
    return this.#probes.json<Seen>();
  }
}
