// Who holds a node: the site and run whose call last passed. A boot counts in monotonic time; on disk, where the
// next boot finds it, stands the time of the wall.

import type { Clock } from '../../../shared/clock.js';
import { type NodeState, type StoredHold, withHold } from '../state/node-state.js';
import type { Hold } from './call.js';

/** How much older than it was the last call may look after a crash: milliseconds. */
const precisionMs = 10_000;

export class Holding {
  readonly #clock: Clock;
  #hold: Hold | undefined;

  /** @param stored what an earlier boot wrote; undefined where nobody holds the node */
  constructor(clock: Clock, stored: StoredHold | undefined) {
    this.#clock = clock;
    if (stored === undefined) return;
    const idleMs = Math.max(0, clock.now() - stored.lastCallAt);
    this.#hold = { ...stored, lastCallAt: clock.monotonic() - idleMs };
  }

  get current(): Hold | undefined {
    return this.#hold;
  }

  /** A call has passed: from here on the node is its run's. */
  take(by: Omit<Hold, 'lastCallAt'>): void {
    this.#hold = { ...by, lastCallAt: this.#clock.monotonic() };
  }

  /** @returns the state with who holds the node now */
  writtenInto(state: NodeState): NodeState {
    if (this.#hold === undefined) return state;
    return withHold(state, { ...this.#hold, lastCallAt: this.#lastCallOnTheWall(this.#hold) });
  }

  /** @returns the same, but the very object that was given where it says so already, near enough */
  keptIn(state: NodeState): NodeState {
    const { hold } = state;
    const known =
      this.#hold !== undefined &&
      hold?.site === this.#hold.site &&
      hold.fence === this.#hold.fence &&
      this.#lastCallOnTheWall(this.#hold) - hold.lastCallAt < precisionMs;
    return known ? state : this.writtenInto(state);
  }

  #lastCallOnTheWall({ lastCallAt }: Hold): number {
    return this.#clock.now() - (this.#clock.monotonic() - lastCallAt);
  }
}
