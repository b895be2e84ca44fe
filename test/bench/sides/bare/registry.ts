// The registry as the bare client sees it: which nodes are there, in the order of their reports, and which came up
// configured.

import { Program } from '../../measure/program.js';
import type { RegistryPlan } from '../../programs/bare-registry.js';
import type { ReportedNode } from './calls.js';

interface InService {
  /** Unix milliseconds. */
  readonly lastInService: number;
  /** From the first report of a node: milliseconds, one for each. */
  readonly latenciesMs: readonly number[];
}

export class Registry {
  readonly ready: Promise<unknown>;
  readonly #program: Program;
  readonly #waiting: ReportedNode[] = [];
  readonly #takers: ((node: ReportedNode | undefined) => void)[] = [];
  readonly #startedAt = new Map<string, number>();
  readonly #latenciesMs: number[] = [];
  #last = 0;
  #ended = false;
  #wake = () => {};

  constructor(plan: RegistryPlan) {
    this.#program = new Program('bench/programs/bare-registry.ts', [JSON.stringify(plan)]);
    this.ready = this.#program.line().then(() => void this.#listen());
  }

  get pid(): number {
    return this.#program.pid;
  }

  /** @returns the node whose turn it is, once there is one; undefined after the end */
  next(): Promise<ReportedNode | undefined> {
    const node = this.#waiting.shift();
    if (node !== undefined || this.#ended) return Promise.resolve(node);
    return new Promise((resolve) => this.#takers.push(resolve));
  }

  /** Nobody is to wait for nodes any more. */
  end(): void {
    this.#ended = true;
    for (const take of this.#takers.splice(0)) take(undefined);
  }

  /** Waits until so many nodes came up configured. */
  async inService(nodes: number): Promise<InService> {
    while (this.#latenciesMs.length < nodes) await new Promise<void>((resolve) => (this.#wake = resolve));
    return { lastInService: this.#last, latenciesMs: this.#latenciesMs };
  }

  async #listen(): Promise<void> {
    for (;;) this.#hear(await this.#program.line(), Date.now());
  }

  #hear(line: string, now: number): void {
    const [what, identity = '', address = '', certificateSha256 = ''] = line.split(' ');
    if (what === 'STARTUP') {
      this.#startedAt.set(identity, now);
      const node = { identity, address, certificateSha256 };
      const take = this.#takers.shift();
      if (take === undefined) this.#waiting.push(node);
      else take(node);
    } else {
      this.#latenciesMs.push(now - (this.#startedAt.get(identity) ?? Number.NaN));
      this.#last = now;
      this.#wake();
    }
  }
}
