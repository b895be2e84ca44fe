// Many deadlines on one timer: a binary heap, so that 50,000 hosts that wait cost one timer of the clock.

import type { Clock, Timer } from '../../../shared/clock.js';

/** Something that will be due. */
export interface Deadline {
  /** Monotonic milliseconds. */
  readonly at: number;
  /** Takes it back. Safe to call more than once, and after it was due. */
  cancel(): void;
}

interface Entry {
  readonly at: number;
  readonly order: number;
  readonly due: () => void;
  /** Its place in the heap; -1 once it is out of it. */
  index: number;
}

export class Deadlines {
  readonly #clock: Clock;
  readonly #heap: Entry[] = [];
  #order = 0;
  #timer: { readonly at: number; readonly timer: Timer } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#heap.length;
  }

  /** Calls back once when `ms` milliseconds are over. */
  after(ms: number, due: () => void): Deadline {
    const entry: Entry = {
      at: this.#clock.monotonic() + ms,
      order: this.#order++,
      due,
      index: this.#heap.length,
    };
    this.#heap.push(entry);
    this.#siftUp(entry);
    this.#arm();
    return { at: entry.at, cancel: () => this.#cancel(entry) };
  }

  #cancel(entry: Entry): void {
    if (entry.index < 0) return;
    this.#remove(entry);
    this.#arm();
  }

  #fire(): void {
    this.#timer = undefined;
    const now = this.#clock.monotonic();
    for (;;) {
      const first = this.#heap[0];
      if (first === undefined || first.at > now) break;
      this.#remove(first);
      first.due();
    }
    this.#arm();
  }

  /** Has the clock's timer stand at the earliest deadline. */
  #arm(): void {
    const at = this.#heap[0]?.at;
    if (at === this.#timer?.at) return;
    this.#timer?.timer.cancel();
    this.#timer = undefined;
    if (at === undefined) return;
    const timer = this.#clock.setTimer(at - this.#clock.monotonic(), () => this.#fire());
    this.#timer = { at, timer };
  }

  #remove(entry: Entry): void {
    const last = this.#heap.pop();
    const index = entry.index;
    entry.index = -1;
    if (last === undefined || last === entry) return;
    last.index = index;
    this.#heap[index] = last;
    this.#siftUp(last);
    this.#siftDown(last);
  }

  #siftUp(entry: Entry): void {
    for (;;) {
      const parent = this.#heap[(entry.index - 1) >> 1];
      if (entry.index === 0 || parent === undefined || !before(entry, parent)) return;
      this.#swap(entry, parent);
    }
  }

  #siftDown(entry: Entry): void {
    for (;;) {
      const left = this.#heap[entry.index * 2 + 1];
      if (left === undefined) return;
      const right = this.#heap[entry.index * 2 + 2];
      const child = right !== undefined && before(right, left) ? right : left;
      if (!before(child, entry)) return;
      this.#swap(child, entry);
    }
  }

  #swap(one: Entry, other: Entry): void {
    const index = one.index;
    one.index = other.index;
    other.index = index;
    this.#heap[one.index] = one;
    this.#heap[other.index] = other;
  }
}

function before(one: Entry, other: Entry): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}
