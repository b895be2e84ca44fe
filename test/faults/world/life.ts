// One life of a process in the world: its timers, its disk and whatever it waits for end with it, at once and without
// a word. What the process does while it lives is not this file's matter.

import type { Files } from '../../../services/mock-node/state/files.js';
import type { Clock, Timer } from '../../../shared/clock.js';

export class Life {
  readonly #end = new AbortController();

  /** Aborted when it is over. */
  get ended(): AbortSignal {
    return this.#end.signal;
  }

  get isOver(): boolean {
    return this.#end.signal.aborted;
  }

  end(): void {
    this.#end.abort(new Error('the process is gone'));
  }

  /** Starts work, unless life is over, and never settles once it is. */
  during<T>(start: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.isOver) return;
      start().then(
        (value) => this.isOver || resolve(value),
        (error) => this.isOver || reject(error),
      );
    });
  }

  /** @returns the clock as the process has it: none of its timers outlives it */
  clock(of: Clock): Clock {
    const timers = new Set<Timer>();
    this.ended.addEventListener('abort', () => {
      for (const timer of timers) timer.cancel();
    });
    return {
      now: () => of.now(),
      monotonic: () => of.monotonic(),
      setTimer: (ms, callback) => {
        if (this.isOver) return { cancel: () => {} };
        const timer = of.setTimer(ms, () => {
          timers.delete(timer);
          callback();
        });
        timers.add(timer);
        return {
          cancel: () => {
            timers.delete(timer);
            timer.cancel();
          },
        };
      },
    };
  }

  /** @returns the disk as the process has it: it does nothing there once it is gone */
  files(of: Files): Files {
    return {
      read: (path) => this.during(() => of.read(path)),
      list: (path) => this.during(() => of.list(path)),
      mode: (path) => this.during(() => of.mode(path)),
      makeDirectory: (path) => this.during(() => of.makeDirectory(path)),
      write: (path, content, mode) => this.during(() => of.write(path, content, mode)),
      rename: (from, to) => this.during(() => of.rename(from, to)),
      remove: (path) => this.during(() => of.remove(path)),
      sync: (directory) => this.during(() => of.sync(directory)),
    };
  }
}

/** Work that takes time of the machine's, such as signing: the fake clock stands still while some goes on. */
export class RealWork {
  #underWay = 0;

  get isUnderWay(): boolean {
    return this.#underWay > 0;
  }

  /** Counts it until it has settled. */
  async count<T>(work: Promise<T>): Promise<T> {
    this.#underWay += 1;
    return await work.finally(() => {
      this.#underWay -= 1;
    });
  }
}
