// The passages that were read last. Watches that keep up stand at the same places: they share what is read there, and
// by that how it is written.

import type { EventLogReader } from './log-reader.js';
import { type Passage, readPassage } from './passage.js';

/** What is kept: passages, and bytes of their events. */
const bounds = { passages: 32, bytes: 1 << 20 } as const;

/** One for all watches of a log: bounded in passages and in bytes. */
export class RecentPassages {
  readonly #log: EventLogReader;
  /** By the place that they follow, oldest first. What was committed does not change, so they stay true. */
  readonly #kept = new Map<number, { readonly passage: Passage; readonly bytes: number }>();
  #bytes = 0;

  constructor(log: EventLogReader) {
    this.#log = log;
  }

  /** @returns what follows a place; undefined where nothing does yet */
  after(place: number): Passage | undefined {
    const kept = this.#kept.get(place);
    if (kept !== undefined) return kept.passage;
    const passage = readPassage(this.#log, place);
    if (passage !== undefined) this.#keep(place, passage);
    return passage;
  }

  #keep(place: number, passage: Passage): void {
    const bytes = passage.items.reduce(
      (sum, item) => sum + (item.kind === 'EVENT' ? item.bytes.length : 0),
      0,
    );
    this.#kept.set(place, { passage, bytes });
    this.#bytes += bytes;
    for (const [oldest, { bytes: freed }] of this.#kept) {
      if (this.#kept.size <= bounds.passages && this.#bytes <= bounds.bytes) return;
      this.#kept.delete(oldest);
      this.#bytes -= freed;
    }
  }
}
