// Asks incumbents whether they are still there, before a newcomer that another discovery service names
// takes over their record (design, section 5). One question at a time per node, some nodes at once.

import type { Identity } from '../../../shared/identity.js';
import { LinkedList } from './linked-list.js';
import type { SightedNode } from './node-event.js';

/** Whether a node still answers with its boot, on its pinned certificate. */
export type IsStillThere = (node: SightedNode) => Promise<boolean>;

const defaultConcurrency = 64;

interface Question {
  readonly node: SightedNode;
  readonly answered: (there: boolean) => void;
}

export class Incumbents {
  readonly #isStillThere: IsStillThere;
  readonly #concurrency: number;
  /** Nodes that are being asked or wait to be. */
  readonly #open = new Set<Identity>();
  readonly #waiting = new LinkedList<Question>();
  #asking = 0;

  constructor(isStillThere: IsStillThere, concurrency = defaultConcurrency) {
    this.#isStillThere = isStillThere;
    this.#concurrency = concurrency;
  }

  /** Asks, unless a question to this node is open already; then the newcomer's next sighting asks again. */
  ask(node: SightedNode, answered: (there: boolean) => void): void {
    if (this.#open.has(node.identity)) return;
    this.#open.add(node.identity);
    const question = { node, answered };
    if (this.#asking < this.#concurrency) void this.#put(question);
    else this.#waiting.push(question);
  }

  async #put({ node, answered }: Question): Promise<void> {
    this.#asking += 1;
    const there = await this.#isStillThere(node).catch(() => false);
    this.#asking -= 1;
    this.#open.delete(node.identity);
    answered(there);
    const next = this.#waiting.shift();
    if (next !== undefined) void this.#put(next);
  }
}
