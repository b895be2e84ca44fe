// Runs so many tasks at once and no more; the others wait their turn.

export class Limiter {
  readonly #limit: number;
  #running = 0;
  /** Oldest last, when {@link #arriving} is used up: a queue of two stacks, O(1) however long it is. */
  #leaving: (() => void)[] = [];
  #arriving: (() => void)[] = [];

  /** @param limit at least 1 */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * Runs the task as soon as there is room.
   *
   * @throws what the task throws; the signal's reason where it was aborted before the task's turn
   */
  async run<T>(task: () => Promise<T>, signal: AbortSignal): Promise<T> {
    if (this.#running >= this.#limit) await new Promise<void>((resolve) => this.#arriving.push(resolve));
    else this.#running++;
    try {
      signal.throwIfAborted();
      return await task();
    } finally {
      const next = this.#next();
      if (next === undefined) this.#running--;
      else next();
    }
  }

  /** How many tasks run or wait. */
  get size(): number {
    return this.#running + this.#leaving.length + this.#arriving.length;
  }

  #next(): (() => void) | undefined {
    if (this.#leaving.length === 0) {
      this.#leaving = this.#arriving.reverse();
      this.#arriving = [];
    }
    return this.#leaving.pop();
  }
}
