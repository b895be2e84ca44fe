// A table that forgets: entries live for an hour, and the oldest go first where there are too many.

import type { Clock } from '../../../shared/clock.js';
import { OldestFirst } from '../../../shared/oldest-first.js';

const lifeMs = 3_600_000;
const mostEntries = 100_000;

export class Remembered<K, V> {
  readonly #clock: Clock;
  readonly #most: number;
  readonly #entries = new OldestFirst<K, { readonly value: V; readonly setAt: number }>();

  constructor(clock: Clock, most = mostEntries) {
    this.#clock = clock;
    this.#most = most;
  }

  get size(): number {
    return this.#entries.size;
  }

  set(key: K, value: V): void {
    this.#entries.set(key, { value, setAt: this.#clock.monotonic() });
    this.#prune();
  }

  get(key: K): V | undefined {
    const entry = this.#entries.get(key);
    return entry === undefined || this.#isOver(entry) ? undefined : entry.value;
  }

  delete(key: K): void {
    this.#entries.delete(key);
  }

  #prune(): void {
    for (;;) {
      const { oldest, size } = this.#entries;
      if (oldest === undefined || (size <= this.#most && !this.#isOver(oldest.value))) return;
      this.#entries.delete(oldest.key);
    }
  }

  #isOver({ setAt }: { readonly setAt: number }): boolean {
    return this.#clock.monotonic() - setAt >= lifeMs;
  }
}
