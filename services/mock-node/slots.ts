// A bound on how much goes on at once, first come first served. One slot makes it a lock.

interface Waiting {
  readonly enter: () => void;
}

export class Slots {
  #free: number;
  // Insertion order is the order of turns; a Set lets one that gave up leave from the middle.
  readonly #waiting = new Set<Waiting>();

  constructor(count: number) {
    this.#free = count;
  }

  /** How many wait for a slot. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * Waits for a slot.
   *
   * @returns gives the slot back; a second call does nothing
   * @throws the signal's reason where it is aborted before the slot was had
   */
  async take(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.#free > 0) this.#free--;
    else await this.#wait(signal);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#release();
    };
  }

  /** Does the work with a slot held. */
  async use<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const release = await this.take(signal);
    try {
      return await work();
    } finally {
      release();
    }
  }

  #wait(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#waiting.delete(waiting);
        reject(signal?.reason);
      };
      const waiting: Waiting = {
        enter: () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        },
      };
      this.#waiting.add(waiting);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  #release(): void {
    for (const next of this.#waiting) {
      this.#waiting.delete(next);
      next.enter();
      return;
    }
    this.#free++;
  }
}
