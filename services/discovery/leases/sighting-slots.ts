// Spreads the live nodes over the interval: each belongs to one slot, which its name decides, so that nodes
// that came all at once are not sighted all at once, and each is sighted once in every interval.

import type { Lease } from './lease.js';

export class SightingSlots {
  readonly #slots: readonly Set<Lease>[];

  /** @param count how many slots make up an interval, at least 1 */
  constructor(count: number) {
    this.#slots = Array.from({ length: count }, () => new Set<Lease>());
  }

  /** How many slots make up an interval. */
  get count(): number {
    return this.#slots.length;
  }

  add(lease: Lease): void {
    this.#slotOf(lease)?.add(lease);
  }

  remove(lease: Lease): void {
    this.#slotOf(lease)?.delete(lease);
  }

  /** The live nodes whose turn it is in slot `index`, from 0. */
  members(index: number): Iterable<Lease> {
    return this.#slots[index] ?? [];
  }

  #slotOf(lease: Lease): Set<Lease> | undefined {
    return this.#slots[hash(lease.identity) % this.#slots.length];
  }
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return value >>> 0;
}
