// Looks at the disks of all nodes again and again while somebody works on them, as whoever reads them would find them
// if the machines stopped there and then.

import type { Stack } from '../../../cli/launch/stack.js';
import { until } from '../../../cli/launch/until.js';
import { nodesOnDisk } from '../../e2e/nodes-on-disk.js';

export interface Watched {
  /** How many times all disks were read. */
  readonly rounds: number;
  /** How many of the nodes that were read had something configured. */
  readonly configured: number;
  /** What was not of a piece at any moment. */
  readonly problems: readonly string[];
}

export class DiskWatch {
  readonly #stack: Pick<Stack, 'nodesDirectory'>;
  readonly #problems = new Set<string>();
  readonly #watching: Promise<unknown>;
  #rounds = 0;
  #configured = 0;
  #over = false;

  constructor(stack: Pick<Stack, 'nodesDirectory'>) {
    this.#stack = stack;
    this.#watching = until(
      async () => {
        await this.#look();
        return this.#over;
      },
      { what: 'the watch is over', timeoutMs: 600_000, everyMs: 20 },
    );
    this.#watching.catch(() => {});
  }

  async end(): Promise<Watched> {
    this.#over = true;
    await this.#watching;
    return { rounds: this.#rounds, configured: this.#configured, problems: [...this.#problems] };
  }

  async #look(): Promise<void> {
    this.#rounds++;
    for (const [name, node] of await nodesOnDisk(this.#stack)) {
      if (node.status !== 'NONE') this.#configured++;
      for (const problem of node.problems) this.#problems.add(`${name}, ${node.status}: ${problem}`);
    }
  }
}
