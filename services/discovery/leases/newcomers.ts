// The boots that spoke of late for an identity that another one holds: few are remembered, and none of them can
// speak for another.

import type { Announcement } from '../nodes/announcement.js';
import { type Boot, keyOfBoot } from '../nodes/boot.js';

/** Newcomers that are remembered for one identity. */
const mostNewcomers = 8;

/** Of what a newcomer said last, what tells whether its next report follows it: not its labels, which anybody fills. */
type Word = Pick<Announcement, 'source' | 'address' | 'sequence' | 'digest' | 'reply'>;

interface Newcomer {
  last: Word;
  /** When it was last told of as a conflict: monotonic. */
  toldAt: number | undefined;
}

export class Newcomers {
  readonly #known = new Map<string, Newcomer>();

  /** Keeps the last that a newcomer said. The one that came first makes room. */
  remember(newcomer: Announcement): void {
    const key = keyOfBoot(newcomer);
    const { source, address, sequence, digest, reply } = newcomer;
    const last = { source, address, sequence, digest, reply };
    const known = this.#known.get(key);
    if (known !== undefined && known.last.address === address) {
      known.last = last;
      return;
    }
    this.#known.delete(key);
    this.#known.set(key, { last, toldAt: undefined });
    if (this.#known.size <= mostNewcomers) return;
    for (const oldest of this.#known.keys()) {
      this.#known.delete(oldest);
      return;
    }
  }

  /** The last that the boot said; undefined where it is not remembered. */
  last(boot: Boot): Word | undefined {
    return this.#known.get(keyOfBoot(boot))?.last;
  }

  /**
   * Whether the boot may be told of as a conflict now, `now` by the monotonic clock; if so, it was.
   *
   * @param everyMs how often it may, at most
   */
  mayTell(boot: Boot, now: number, everyMs: number): boolean {
    const newcomer = this.#known.get(keyOfBoot(boot));
    if (newcomer === undefined) return true;
    if (newcomer.toldAt !== undefined && now - newcomer.toldAt < everyMs) return false;
    newcomer.toldAt = now;
    return true;
  }
}
