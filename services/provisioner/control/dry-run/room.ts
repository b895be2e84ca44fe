// Bounds what dry runs hold. One goes on at a time and an input may have 4 MB: without a bound, those that wait would
// take as much memory as anybody likes.

import { ControlError } from '../control-error.js';

/** The most bytes of inputs at a time, unless a single one has more. */
const mostBytes = 16 << 20;

/** What a dry run takes beside its input: bytes. */
const eachBytes = 1 << 10;

export class Room {
  readonly #most: number;
  #taken = 0;

  constructor(most: number = mostBytes) {
    this.#most = most;
  }

  /**
   * Does the work, if there is room for its input.
   *
   * @param bytes of the input
   * @throws ControlError where there is none; what the work throws
   */
  async hold<T>(bytes: number, work: () => Promise<T>): Promise<T> {
    const size = bytes + eachBytes;
    if (this.#taken > 0 && this.#taken + size > this.#most) {
      const message = 'too many trials of the helper wait for their turn: try again when some are done';
      throw new ControlError('QUEUE_FULL', 'TRIALS_LIMIT', message);
    }
    this.#taken += size;
    try {
      return await work();
    } finally {
      this.#taken -= size;
    }
  }
}
