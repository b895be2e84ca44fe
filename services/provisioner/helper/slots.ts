// Lets so many helpers run at a time; others wait their turn, first come, first served.

/** Gives the slot back. Safe to call more than once. */
export type Release = () => void;

export class Slots {
  readonly #limit: number;
  #busy = 0;
  /** In order of arrival; a Set, so that one that gives up leaves at once. */
  readonly #waiting = new Set<() => void>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get busy(): number {
    return this.#busy;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * Waits for a free slot.
   *
   * @throws the signal's reason where it is aborted first
   */
  acquire(signal: AbortSignal): Promise<Release> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      const take = () => {
        signal.removeEventListener('abort', giveUp);
        resolve(this.#take());
      };
      const giveUp = () => {
        this.#waiting.delete(take);
        reject(signal.reason);
      };
      if (this.#busy < this.#limit) {
        take();
      } else {
        this.#waiting.add(take);
        signal.addEventListener('abort', giveUp, { once: true });
      }
    });
  }

  #take(): Release {
    this.#busy += 1;
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#busy -= 1;
      const [next] = this.#waiting;
      if (next === undefined) return;
      this.#waiting.delete(next);
      next();
    };
  }
}
