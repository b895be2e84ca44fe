// What the helper was last asked about each of the last nodes, so that it can be asked again without them. It outlives
// the host: whoever mends a helper wants to know about a node that was released or backs off. Bounded in number and size.

import type { Identity } from '../../../../shared/identity.js';
import type { Helper, HelperInput } from '../../helper/helper.js';

export interface LastInputsLimits {
  readonly entries: number;
  /** Characters, altogether. */
  readonly size: number;
}

const lastInputsLimits: LastInputsLimits = { entries: 1_000, size: 16 << 20 };

interface Entry {
  readonly input: HelperInput;
  readonly size: number;
}

/** Remembers by watching the helper that runs ask. */
export class LastInputs {
  readonly #limits: LastInputsLimits;
  /** The oldest first. */
  readonly #entries = new Map<Identity, Entry>();
  #size = 0;

  constructor(limits: LastInputsLimits = lastInputsLimits) {
    this.#limits = limits;
  }

  /** @returns what the helper was last asked about a node; undefined where that is not known, or not any more */
  of(identity: Identity): HelperInput | undefined {
    return this.#entries.get(identity)?.input;
  }

  /** @returns the helper, of which each question is remembered */
  watching(helper: Helper): Helper {
    return {
      ask: (input, signal, options) => {
        this.#remember(input);
        return helper.ask(input, signal, options);
      },
    };
  }

  #remember(input: HelperInput): void {
    this.#forget(input.identity);
    const entry = { input, size: sizeOf(input) };
    this.#entries.set(input.identity, entry);
    this.#size += entry.size;
    for (const identity of this.#entries.keys()) {
      if (this.#entries.size <= this.#limits.entries && this.#size <= this.#limits.size) return;
      this.#forget(identity);
    }
  }

  #forget(identity: Identity): void {
    this.#size -= this.#entries.get(identity)?.size ?? 0;
    this.#entries.delete(identity);
  }
}

/** Of the texts that a node can make as long as it likes. */
function sizeOf({ identity, inventory, csr, claimsJson = '' }: HelperInput): number {
  const { factsJson, machinesJson, agents, classes, collectives, dataPlugins } = inventory;
  const texts = [identity, factsJson, machinesJson, claimsJson, csr?.csrPem ?? '', csr?.publicKeyPem ?? ''];
  const lists = [agents, classes, collectives, dataPlugins];
  return [...texts, ...lists.flat()].reduce((sum, { length }) => sum + length + 16, 0);
}
