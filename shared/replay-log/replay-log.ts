// An ordered log that any number of readers follow, each at its own pace. A reader is a cursor: a position
// and nothing more, so that a slow one costs no memory and delays nobody. What it misses because it was
// overtaken it is told of, never skipped silently.

/** Consecutive entries. */
export interface Batch<T> {
  /** Revision of the first value. */
  readonly first: number;
  /** The cursor's position after the batch: the last revision that the batch covers. */
  readonly last: number;
  /** In order, at least one. */
  readonly values: readonly T[];
}

/** One reader's place in a log. Not for two readers at once. */
export interface Cursor<T> {
  /** The last revision that was read. */
  readonly position: number;
  /**
   * Reads on, waiting until there is something.
   *
   * @param max the most values to give
   * @throws OutOfRangeError where what comes next is not kept any more; the signal's reason once aborted
   */
  next(signal: AbortSignal, max?: number): Promise<Batch<T>>;
}

export interface ReplayLog<T> {
  /** Revision of the oldest entry that is kept; one more than {@link last} where none is. */
  readonly first: number;
  /** Revision of the newest entry; 0 where there never was one. */
  readonly last: number;
  /**
   * A cursor that reads what follows a revision.
   *
   * @throws OutOfRangeError where that is not kept any more, or the log has not come so far
   */
  cursor(after: number): Cursor<T>;
}

/** How many values a cursor gives at once where it is not told. */
export const defaultBatch = 256;

/**
 * The entry after a position is not kept: the reader has to begin anew, or to tell of a gap. By the time that
 * it is caught the log may have gone on: where to go on from is the log's `first` then, not this one.
 */
export class OutOfRangeError extends Error {
  override readonly name = 'OutOfRangeError';
  /** The position asked for. */
  readonly after: number;
  /** Revision of the oldest entry that is kept. */
  readonly first: number;
  /** Revision of the newest entry. */
  readonly last: number;

  constructor(after: number, log: { readonly first: number; readonly last: number }) {
    super(`no entry follows revision ${after}: the log holds ${log.first} to ${log.last}`);
    this.after = after;
    this.first = log.first;
    this.last = log.last;
  }
}
