// The operator's pause: set and ended by hand, and kept on disk, so that a restart does not end it (design,
// section 5). What it stops is the fleet's matter.

import type { Clock } from '../../../shared/clock.js';
import type { EventSink } from '../events/event.js';

/** What is known of a pause. */
export interface PauseNote {
  /** Unix milliseconds. */
  readonly since: number;
  /** Who asked for it, as far as is known. */
  readonly by: string;
  readonly message: string;
}

/** Where a pause is kept. */
export interface PauseStore {
  /** @returns undefined where none is kept */
  load(): Promise<PauseNote | undefined>;
  save(note: PauseNote): Promise<void>;
  clear(): Promise<void>;
}

export interface PauseOptions {
  readonly store: PauseStore;
  readonly clock: Clock;
  readonly sink: EventSink;
  /** Told when a pause begins, also one that was kept. */
  readonly paused: () => void;
  readonly resumed: () => void;
}

/** It took effect, but could not be kept: the next start does not know of it. */
export class PauseNotKeptError extends Error {
  override readonly name = 'PauseNotKeptError';
}

export class OperatorPause {
  readonly #options: PauseOptions;
  #note: PauseNote | undefined;
  /** Reads and writes of the store, one after the other. */
  #turn: Promise<void> = Promise.resolve();

  constructor(options: PauseOptions) {
    this.#options = options;
  }

  /** What is known of the pause that is on; undefined where none is. */
  get note(): PauseNote | undefined {
    return this.#note;
  }

  /** Takes up the pause that was kept, if one was. */
  async restore(): Promise<void> {
    this.#note = await this.#options.store.load();
    if (this.#note !== undefined) this.#options.paused();
  }

  /**
   * Pauses at once, and resolves when that is kept. Pausing twice is the same as once.
   *
   * @throws PauseNotKeptError
   */
  pause(by: string, message: string): Promise<void> {
    if (this.#note === undefined) {
      this.#note = { since: this.#options.clock.now(), by, message };
      this.#options.sink.publish({ type: 'PAUSED', by, message });
      this.#options.paused();
    }
    return this.#keep();
  }

  /**
   * Ends the pause at once, and resolves when that is kept. Resuming what is not paused changes nothing.
   *
   * @throws PauseNotKeptError
   */
  resume(by: string, message: string): Promise<void> {
    if (this.#note !== undefined) {
      this.#note = undefined;
      this.#options.sink.publish({ type: 'RESUMED', by, message });
      this.#options.resumed();
    }
    return this.#keep();
  }

  /** Has the store say what is so by then. */
  #keep(): Promise<void> {
    const turn = this.#turn.then(() => {
      const { store } = this.#options;
      return this.#note === undefined ? store.clear() : store.save(this.#note);
    });
    this.#turn = turn.catch(() => {});
    return turn.catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      throw new PauseNotKeptError(`it took effect, but a restart will not know of it: ${why}`, {
        cause: error,
      });
    });
  }
}
