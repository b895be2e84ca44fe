// Which boots of a node its record has seen: a boot is new only once (design, section 5).

import type { BootId } from '../../../shared/identity.js';

/** How a boot relates to what a record has seen. */
export type BootRelation = 'CURRENT' | 'REPLACED' | 'NEW';

const kept = 8;

/** The last 8 boots of one node; the last to come is the current one. */
export class Boots {
  /** Oldest first. */
  readonly #seen: BootId[];

  constructor(first: BootId) {
    this.#seen = [first];
  }

  get current(): BootId | undefined {
    return this.#seen.at(-1);
  }

  relation(boot: BootId): BootRelation {
    if (boot === this.current) return 'CURRENT';
    return this.#seen.includes(boot) ? 'REPLACED' : 'NEW';
  }

  /** Makes a boot the current one. A boot that was seen keeps its place. */
  add(boot: BootId): void {
    if (this.#seen.includes(boot)) return;
    this.#seen.push(boot);
    if (this.#seen.length > kept) this.#seen.shift();
  }

  /** Makes a boot the current one, also where it was replaced: whoever calls has met it. */
  met(boot: BootId): void {
    const at = this.#seen.indexOf(boot);
    if (at >= 0) this.#seen.splice(at, 1);
    this.add(boot);
  }

  /** Records a boot that came after `predecessor`, which may have been replaced since. */
  insertAfter(predecessor: BootId, boot: BootId): void {
    if (this.#seen.includes(boot)) return;
    const at = this.#seen.indexOf(predecessor);
    this.#seen.splice(at + 1, 0, boot);
    if (this.#seen.length > kept) this.#seen.shift();
  }
}
