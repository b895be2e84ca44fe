// All the nodes of this process: starts them spread over a while, counts them by phase, knows when the last
// one was shut down, and ends them together.

import { type Clock, sleep } from '../../../shared/clock.js';
import type { Logger } from '../../../shared/logger.js';
import type { Node, Phase } from './node.js';

export const phases = [
  'STOPPED',
  'DOWN',
  'PROVISIONING',
  'CONFIGURED',
  'STOPPING',
] as const satisfies Phase[];

export interface SwarmOptions {
  readonly count: number;
  /** @param onPhase to be told of each change of the node's phase */
  readonly newNode: (index: number, onPhase: (from: Phase, to: Phase) => void) => Node;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The longest that is slept between two starts: milliseconds. Several start at once where there are many. */
const shortestPauseMs = 5;

export class Swarm {
  readonly #nodes: readonly Node[];
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #counts: Record<Phase, number>;
  readonly #ending = new AbortController();
  readonly #allShutDown: Promise<void>;
  #resolveAllShutDown: () => void = () => {};
  #started = false;
  #allConfigured = false;

  constructor(options: SwarmOptions) {
    this.#clock = options.clock;
    this.#log = options.log;
    this.#counts = { STOPPED: options.count, DOWN: 0, PROVISIONING: 0, CONFIGURED: 0, STOPPING: 0 };
    this.#allShutDown = new Promise((resolve) => {
      this.#resolveAllShutDown = resolve;
    });
    const onPhase = (from: Phase, to: Phase) => this.#onPhase(from, to);
    this.#nodes = Array.from({ length: options.count }, (_, index) => options.newNode(index, onPhase));
  }

  /** @returns the node of this index, from 0; undefined where there is none */
  node(index: number): Node | undefined {
    return this.#nodes[index];
  }

  /** How many nodes are in each phase now. */
  get counts(): Readonly<Record<Phase, number>> {
    return this.#counts;
  }

  /** True once every node was booted for the first time. */
  get started(): boolean {
    return this.#started;
  }

  /** Resolves when every node was told to shut down and did. */
  get allShutDown(): Promise<void> {
    return this.#allShutDown;
  }

  /** Boots all nodes, spread evenly over `withinMs`. Resolves when all have booted, or the swarm ends. */
  async start(withinMs: number): Promise<void> {
    const { signal } = this.#ending;
    const began = this.#clock.monotonic();
    const boots: Promise<void>[] = [];
    for (const [index, node] of this.#nodes.entries()) {
      const dueIn = began + (withinMs * index) / this.#nodes.length - this.#clock.monotonic();
      if (dueIn >= shortestPauseMs) await sleep(this.#clock, dueIn, signal).catch(() => {});
      if (signal.aborted) return;
      boots.push(node.start());
    }
    await Promise.all(boots);
    this.#started = !signal.aborted;
    if (this.#started)
      this.#log.info({ nodes: this.#nodes.length, ...lowerCase(this.#counts) }, 'all nodes are up');
  }

  /** Ends all nodes: each reports SHUTDOWN as far as `graceMs` allows. What is on disk stays. */
  async end(graceMs: number): Promise<void> {
    this.#ending.abort();
    await Promise.all(this.#nodes.map((node) => node.end(graceMs)));
  }

  #onPhase(from: Phase, to: Phase): void {
    this.#counts[from]--;
    this.#counts[to]++;
    const { length } = this.#nodes;
    if (this.#ending.signal.aborted) return;
    if (to === 'STOPPED' && this.#counts.STOPPED === length) {
      this.#log.info({ nodes: length }, 'all nodes were shut down');
      this.#resolveAllShutDown();
    }
    const allConfigured = this.#counts.CONFIGURED === length;
    if (allConfigured && !this.#allConfigured) this.#log.info({ nodes: length }, 'all nodes are configured');
    this.#allConfigured = allConfigured;
  }
}

function lowerCase(counts: Readonly<Record<Phase, number>>): Record<string, number> {
  return Object.fromEntries(phases.map((phase) => [phase.toLowerCase(), counts[phase]]));
}
