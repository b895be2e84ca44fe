// From a cursor to a stream, at the reader's pace.

import type { Batch, Cursor } from './replay-log.js';

export interface PumpOptions<T, M> {
  readonly cursor: Cursor<T>;
  readonly signal: AbortSignal;
  /** Makes the messages of a batch: as many as it likes, none where the reader wants none of it. */
  readonly encode: (batch: Batch<T>) => Iterable<M>;
  /** Resolves when the next message may be written; as serverStream's. */
  readonly write: (message: M) => Promise<void>;
  /** The most values to take at once. While they are written, they are all that a slow reader holds. */
  readonly maxBatch?: number;
}

/**
 * Writes what the cursor gives, and goes on for ever. Only one batch is in hand at a time.
 *
 * @throws OutOfRangeError where the reader was overtaken: the caller makes a new snapshot, or tells of a
 * gap; the signal's reason once it is aborted; what `write` throws
 */
export async function pump<T, M>(options: PumpOptions<T, M>): Promise<never> {
  const { cursor, signal, encode, write, maxBatch } = options;
  for (;;) {
    const batch = await cursor.next(signal, maxBatch);
    for (const message of encode(batch)) await write(message);
  }
}
