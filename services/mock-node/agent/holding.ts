// Who holds a node: the site and run whose call last passed. A boot counts in monotonic time; on disk, where the
// next boot finds it, stands the time of the wall.

import type { Clock } from '../../../shared/clock.js';
import { type NodeState, type StoredHold, withHold } from '../state/node-state.js';
import type { Hold } from './call.js';

/** How many other sites' fences are remembered. */
const sitesKept = 7;

/** How much older than it was the last call may look after a crash: milliseconds. */
const precisionMs = 10_000;

export class Holding {
  readonly #clock: Clock;
  #hold: Hold | undefined;
  /** Of other sites, the latest first. */
  #former: readonly Hold[];

  /** @param stored what an earlier boot wrote; undefined where that is of no more account */
  constructor(clock: Clock, stored: Pick<NodeState, 'hold' | 'formerHolds'> | undefined) {
    this.#clock = clock;
    const recall = (of: StoredHold): Hold => {
      const idleMs = Math.max(0, clock.now() - of.lastCallAt);
      return { ...of, lastCallAt: clock.monotonic() - idleMs };
    };
    this.#hold = stored?.hold && recall(stored.hold);
    this.#former = stored?.formerHolds.map(recall) ?? [];
  }

  get current(): Hold | undefined {
    return this.#hold;
  }

  /** @returns the hold that this site has or had last; undefined where it never held the node */
  of(site: string): Hold | undefined {
    return this.#hold?.site === site ? this.#hold : this.#former.find((each) => each.site === site);
  }

  /** A call has passed: from here on the node is its run's. */
  take(by: Omit<Hold, 'lastCallAt'>): void {
    if (this.#hold !== undefined && this.#hold.site !== by.site) {
      const others = [this.#hold, ...this.#former].filter(({ site }) => site !== by.site);
      this.#former = others.slice(0, sitesKept);
    }
    this.#hold = { ...by, lastCallAt: this.#clock.monotonic() };
  }

  /** @returns the state with who holds the node now */
  writtenInto(state: NodeState): NodeState {
    if (this.#hold === undefined) return state;
    const store = (of: Hold): StoredHold => ({ ...of, lastCallAt: this.#lastCallOnTheWall(of) });
    return withHold(state, store(this.#hold), this.#former.map(store));
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
