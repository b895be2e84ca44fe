// The newest events as they go over the wire: watchers that keep up share one encoding of each.

import type { NodeEvent } from '../nodes/node-event.js';
import { encodeEvent } from './convert.js';

/** Encodings that are kept. A watcher further behind makes its own. */
const kept = 4096;

/** Of one epoch, by revision. */
export class EncodedEvents {
  readonly #epoch: string;
  readonly #slots: { readonly revision: number; readonly bytes: Buffer }[] = [];

  constructor(epoch: string) {
    this.#epoch = epoch;
  }

  /** @returns the serialised message of a watch for an event of the log */
  get(revision: number, event: NodeEvent): Buffer {
    const slot = this.#slots[revision % kept];
    if (slot?.revision === revision) return slot.bytes;
    const bytes = encodeEvent(this.#epoch, revision, event);
    if (slot === undefined || slot.revision < revision) this.#slots[revision % kept] = { revision, bytes };
    return bytes;
  }
}
