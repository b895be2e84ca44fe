// Who waits for a run, and who is next: first the hosts whose runs gave them back, in the order in which they were taken,
// then the queue.

import { type Host, sourceOf } from './host.js';
import { Queue } from './queue.js';

export class WaitingLine {
  readonly #limit: number;
  readonly #queue: Queue<Host>;
  /** By their turn. Never more than there are workers: none is taken from the queue while one stands here. */
  readonly #givenBack: Host[] = [];
  #turns = 0;

  /** @param limit how many hosts fit */
  constructor(limit: number) {
    this.#limit = limit;
    this.#queue = new Queue(limit);
  }

  get size(): number {
    return this.#givenBack.length + this.#queue.size;
  }

  get fits(): boolean {
    return this.size < this.#limit;
  }

  /** The host that has waited for longest. Another may be next: the queue gives turns to sources. */
  get oldest(): Host | undefined {
    let oldest = this.#queue.oldest;
    for (const host of this.#givenBack.toReversed()) {
      if (oldest === undefined || host.queuedAt <= oldest.queuedAt) oldest = host;
    }
    return oldest;
  }

  /** Adds at the tail, also beyond the limit: whoever calls asks {@link fits} where that matters. */
  pushTail(host: Host): void {
    this.#queue.pushTail(host, sourceOf(host.node));
  }

  /** Puts a host that was taken back to the head, before and behind the others there as they were taken. */
  giveBack(host: Host): void {
    const behind = this.#givenBack.findIndex(({ turn }) => turn > host.turn);
    this.#givenBack.splice(behind < 0 ? this.#givenBack.length : behind, 0, host);
  }

  /** Takes the next host out; undefined where none waits. */
  take(): Host | undefined {
    const first = this.#givenBack.shift();
    if (first !== undefined) return first;
    const next = this.#queue.take();
    if (next !== undefined) next.turn = ++this.#turns;
    return next;
  }

  /** The hosts in the order in which they would be taken if none came or went. Not to be used across changes. */
  *inTurn(): IterableIterator<Host> {
    yield* this.#givenBack;
    yield* this.#queue.inTurn();
  }

  /** Takes a host out wherever it stands. One that is not there changes nothing. */
  remove(host: Host): void {
    const at = this.#givenBack.indexOf(host);
    if (at >= 0) this.#givenBack.splice(at, 1);
    else this.#queue.remove(host);
  }
}
