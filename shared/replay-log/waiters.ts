// Readers that wait for something new. They are woken together: once for all that was appended meanwhile.

/** Runs a function soon, after what is going on now. */
export type Schedule = (run: () => void) => void;

export class Waiters {
  readonly #schedule: Schedule;
  #waiting = new Set<() => void>();
  #scheduled = false;

  /** @param schedule how long to gather before waking; the end of this turn of the event loop by default */
  constructor(schedule: Schedule = setImmediate) {
    this.#schedule = schedule;
  }

  /** How many wait. */
  get size(): number {
    return this.#waiting.size;
  }

  /**
   * Resolves at the next wake.
   *
   * @throws the signal's reason once it is aborted
   */
  wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      const onWake = () => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      const onAbort = () => {
        this.remove(onWake);
        reject(signal.reason);
      };
      this.add(onWake);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** Calls back once, at the next wake. */
  add(onWake: () => void): void {
    this.#waiting.add(onWake);
  }

  remove(onWake: () => void): void {
    this.#waiting.delete(onWake);
  }

  /** Wakes all that wait, soon. Costs nothing where nobody does, or where they are to be woken already. */
  wake(): void {
    if (this.#scheduled || this.#waiting.size === 0) return;
    this.#scheduled = true;
    this.#schedule(() => {
      this.#scheduled = false;
      const woken = this.#waiting;
      this.#waiting = new Set();
      for (const onWake of woken) onWake();
    });
  }
}
