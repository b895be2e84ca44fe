// What is remembered of an identity across its records: failures in a row, whether it comes back from being
// provisioned again and again, from which versions it was upgraded (design, section 5), and which run left it without
// its restart. Bounded in number and in time.

import type { Clock } from '../../../shared/clock.js';
import type { BootId, Identity, RunId } from '../../../shared/identity.js';
import { OldestFirst } from '../../../shared/oldest-first.js';

/** How long an identity is remembered after it was last counted, and how many are. */
export interface CountersLimits {
  readonly entries: number;
  readonly lifeMs: number;
}

const countersLimits: CountersLimits = { entries: 100_000, lifeMs: 2 * 3_600_000 };

/** Comebacks within this time are of one loop. */
export const loopWindowMs = 3_600_000;

/** From this many comebacks on, a node is looping. */
export const loopThreshold = 3;

/** Comebacks beyond this many make no difference any more. */
const comebacksKept = 32;

/** Upgrades in a row beyond this many make no difference any more. */
const upgradesKept = 16;

/** An upgrade that has ended well, as far as anybody knows. */
interface Upgrade {
  /** The version before. */
  readonly from: string;
  /** Monotonic milliseconds. */
  readonly at: number;
}

/** A run that configured its node and did not see it restart. */
export interface CutOffRun {
  readonly runId: RunId;
  /** False where it may have configured it. */
  readonly certain: boolean;
  /** Set where it may have restarted it: then it was cut off only while the node is still in this boot. */
  readonly boot?: BootId | undefined;
}

interface Entry {
  /** Monotonic milliseconds. */
  touchedAt: number;
  failuresInRow: number;
  /** Monotonic milliseconds, oldest first. */
  comebacks: readonly number[];
  /** The boot that was last provisioned, until another one of the node is seen. */
  provisionedBoot: BootId | undefined;
  /** The boot in which the node last said that it came up configured. */
  arrivedBoot: BootId | undefined;
  cutOffRun: CutOffRun | undefined;
  /** In a row, oldest first. */
  upgrades: readonly Upgrade[];
}

/** What most nodes have of each list: one for all of them. */
const none: readonly never[] = [];

export class Counters {
  readonly #clock: Clock;
  readonly #limits: CountersLimits;
  /** Set anew whenever it is touched. */
  readonly #entries = new OldestFirst<Identity, Entry>();

  constructor(clock: Clock, limits: CountersLimits = countersLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  get size(): number {
    return this.#entries.size;
  }

  failuresInRow(identity: Identity): number {
    return this.#live(identity)?.failuresInRow ?? 0;
  }

  /** @returns how many failures in a row it has now */
  failed(identity: Identity): number {
    const entry = this.#touch(identity);
    entry.failuresInRow += 1;
    return entry.failuresInRow;
  }

  /** Ends a row of failures. */
  succeeded(identity: Identity): void {
    const entry = this.#live(identity);
    if (entry !== undefined) entry.failuresInRow = 0;
  }

  /** Remembers which boot was provisioned, so that the node's next one in provisioning mode counts. */
  provisioned(identity: Identity, boot: BootId): void {
    const entry = this.#touch(identity);
    entry.provisionedBoot = boot;
    entry.upgrades = none;
  }

  /** Remembers the version from which the node was upgraded. */
  upgraded(identity: Identity, from: string): void {
    const entry = this.#touch(identity);
    const at = this.#clock.monotonic();
    entry.upgrades = [...this.#upgradesOf(entry).slice(1 - upgradesKept), { from, at }];
  }

  /** @returns the versions from which its upgrades since it was last provisioned started, oldest first */
  upgradedFrom(identity: Identity): readonly string[] {
    const entry = this.#live(identity);
    return entry === undefined ? [] : this.#upgradesOf(entry).map(({ from }) => from);
  }

  /**
   * To be told each boot in provisioning mode. The first one after that which was provisioned is a
   * comeback.
   *
   * @returns how many comebacks there were within an hour, or 0 where this is none
   */
  sighted(identity: Identity, boot: BootId): number {
    const before = this.#live(identity)?.provisionedBoot;
    if (before === undefined || before === boot) return 0;
    return this.cameBack(identity);
  }

  /** Counts a comeback, also that of a node that says it would come back. @returns as {@link sighted} */
  cameBack(identity: Identity): number {
    const entry = this.#touch(identity);
    const now = this.#clock.monotonic();
    entry.provisionedBoot = undefined;
    const before = entry.comebacks.filter((at) => at > now - loopWindowMs).slice(1 - comebacksKept);
    entry.comebacks = [...before, now];
    return entry.comebacks.length;
  }

  /** It was made to come back: its next boot in provisioning mode is no comeback. */
  expected(identity: Identity): void {
    const entry = this.#live(identity);
    if (entry !== undefined) entry.provisionedBoot = undefined;
  }

  /** Remembers, of several, the last run that left the node configured and not restarted. */
  cutOff(identity: Identity, run: CutOffRun): void {
    this.#touch(identity).cutOffRun = run;
  }

  /** The node says that it came up configured. Snapshots say it again, also when it wants provisioning anew since. */
  cameUp(identity: Identity, boot: BootId): void {
    const entry = this.#live(identity);
    if (entry === undefined || entry.arrivedBoot === boot) return;
    entry.arrivedBoot = boot;
    this.restarted(identity);
  }

  /** The node has restarted into a configuration: whatever was left undone before is done. */
  restarted(identity: Identity): void {
    const entry = this.#live(identity);
    if (entry === undefined) return;
    entry.cutOffRun = undefined;
    entry.upgrades = none;
  }

  /** @returns the run that left the node configured and not restarted, where it is now in this boot */
  cutOffRun(identity: Identity, boot: BootId): CutOffRun | undefined {
    const run = this.#live(identity)?.cutOffRun;
    return run?.boot === undefined || run.boot === boot ? run : undefined;
  }

  /** Each is forgotten by itself, however often the node fails since: then what has made a loop may be mended. */
  #upgradesOf({ upgrades }: Entry): readonly Upgrade[] {
    const since = this.#clock.monotonic() - this.#limits.lifeMs;
    return upgrades.filter(({ at }) => at > since);
  }

  #live(identity: Identity): Entry | undefined {
    this.#forgetOld();
    return this.#entries.get(identity);
  }

  #touch(identity: Identity): Entry {
    const entry = this.#live(identity) ?? newEntry();
    entry.touchedAt = this.#clock.monotonic();
    this.#entries.set(identity, entry);
    this.#forgetOld();
    return entry;
  }

  /** Forgets who was not touched for long, and the oldest where there are too many. */
  #forgetOld(): void {
    for (;;) {
      const { oldest, size } = this.#entries;
      if (oldest === undefined) return;
      const age = this.#clock.monotonic() - oldest.value.touchedAt;
      if (age < this.#limits.lifeMs && size <= this.#limits.entries) return;
      this.#entries.delete(oldest.key);
    }
  }
}

/** Entries of one shape: of those that are put together by spreading, each would have a shape of its own, as large as it. */
function newEntry(): Entry {
  return {
    touchedAt: 0,
    failuresInRow: 0,
    comebacks: none,
    provisionedBoot: undefined,
    arrivedBoot: undefined,
    cutOffRun: undefined,
    upgrades: none,
  };
}
