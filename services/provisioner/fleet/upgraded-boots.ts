// The boots that nodes have left, or are about to leave, for another release. Their records are gone, so that late
// sightings of them would be taken for nodes that wait (design, section 5). Bounded in number and in time.

import type { Clock } from '../../../shared/clock.js';
import type { BootId, Identity } from '../../../shared/identity.js';
import { OldestFirst } from '../../../shared/oldest-first.js';

export interface UpgradedBootsLimits {
  readonly entries: number;
  readonly lifeMs: number;
}

const upgradedBootsLimits: UpgradedBootsLimits = { entries: 100_000, lifeMs: 60_000 };

export class UpgradedBoots {
  readonly #clock: Clock;
  readonly #limits: UpgradedBootsLimits;
  /** Until when each counts, monotonic milliseconds. */
  readonly #until = new OldestFirst<string, number>();

  constructor(clock: Clock, limits: UpgradedBootsLimits = upgradedBootsLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  get size(): number {
    return this.#until.size;
  }

  /** Remembers for a minute a boot that a run has upgraded. */
  add(identity: Identity, boot: BootId): void {
    this.#until.set(keyOf(identity, boot), this.#clock.monotonic() + this.#limits.lifeMs);
    this.#forgetOld();
  }

  /** Whether a sighting of this boot says nothing: it was upgraded within the last minute. */
  has(identity: Identity, boot: BootId): boolean {
    this.#forgetOld();
    return this.#until.has(keyOf(identity, boot));
  }

  #forgetOld(): void {
    const now = this.#clock.monotonic();
    for (;;) {
      const { oldest, size } = this.#until;
      if (oldest === undefined || (oldest.value > now && size <= this.#limits.entries)) return;
      this.#until.delete(oldest.key);
    }
  }
}

/** No identity has a space in it. */
function keyOf(identity: Identity, boot: BootId): string {
  return `${identity} ${boot}`;
}
