// Remembers of each node its last runs and how its record ended, also after the fleet has forgotten it. Bounded in
// number and in time; kept up by events and by the fleet, which tells what it forgets.

import type { Clock } from '../../../shared/clock.js';
import type { Identity, RunId } from '../../../shared/identity.js';
import { OldestFirst } from '../../../shared/oldest-first.js';
import type { EventSink, ProvisioningEvent } from '../events/event.js';
import {
  flat,
  noRuns,
  type PackedHost,
  type PackedRuns,
  packHost,
  packRuns,
  unpackHost,
  unpackRuns,
} from './packed.js';
import {
  type Conflict,
  type LeftHost,
  type Loop,
  mostRuns,
  onlyBegun,
  type Past,
  type RunRecord,
} from './past.js';

export interface HistoryLimits {
  /** Runs of one node. */
  readonly runs: number;
  readonly identities: number;
  /** How long a node is remembered after the last that was heard of it. */
  readonly lifeMs: number;
}

const historyLimits: HistoryLimits = { runs: mostRuns, identities: 100_000, lifeMs: 2 * 3_600_000 };

/** Characters of the message of a node's last run that are kept, and of the runs before it. */
const longestMessage = { last: 1_000, earlier: 200 } as const;

type Writable<T> = { -readonly [K in keyof T]: T[K] };

interface Entry {
  /** Monotonic milliseconds. */
  touchedAt: number;
  /** The newest. */
  last: Writable<RunRecord> | undefined;
  /** Those before it, newest first. */
  earlier: PackedRuns;
  left: PackedHost | undefined;
  loop: Loop | undefined;
  conflict: Conflict | undefined;
}

type OfType<T extends ProvisioningEvent['type']> = Extract<ProvisioningEvent, { readonly type: T }>;

export interface HistoryOptions {
  readonly clock: Clock;
  /** Whether the fleet has a record of the node: its past is not forgotten by time. */
  readonly isKnown: (identity: Identity) => boolean;
  readonly limits?: HistoryLimits;
}

export class History implements EventSink {
  readonly #clock: Clock;
  readonly #isKnown: (identity: Identity) => boolean;
  readonly #limits: HistoryLimits;
  /** Set anew whenever it is touched. */
  readonly #entries = new OldestFirst<Identity, Entry>();

  constructor({ clock, isKnown, limits = historyLimits }: HistoryOptions) {
    this.#clock = clock;
    this.#isKnown = isKnown;
    this.#limits = limits;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** @returns undefined where nothing at all is known of the node */
  of(identity: Identity): Past | undefined {
    this.#forget();
    const entry = this.#entries.get(identity);
    if (entry === undefined) return undefined;
    const { left, loop, conflict } = entry;
    return { identity, runs: runsOf(entry), left: left && unpackHost(left), loop, conflict };
  }

  /** Its newest run that has ended. */
  lastEnded(identity: Identity): RunRecord | undefined {
    const entry = this.#entries.get(identity);
    if (entry?.last?.outcome !== undefined) return entry.last;
    return entry && unpackRuns(entry.earlier).find(({ outcome }) => outcome !== undefined);
  }

  publish(event: ProvisioningEvent): void {
    switch (event.type) {
      case 'HOST_QUEUED': {
        const entry = this.#entries.get(event.identity);
        if (entry !== undefined) entry.left = undefined;
        return;
      }
      case 'RUN_STARTED':
        this.#start(event);
        return;
      case 'RUN_FINISHED':
        this.#finish(event);
        return;
      case 'NODE_CONFIRMED':
        this.#settle(event.identity, event.runId, 'CONFIRMED');
        return;
      case 'CONFIRMATION_MISSED':
        this.#settle(event.identity, event.runId, 'MISSED');
        return;
      case 'PROVISION_LOOP':
        this.#touch(event.identity).loop = { times: event.times, withinMs: event.withinMs };
        return;
      case 'NODE_CONFLICT': {
        const { address, newcomerAddress } = event;
        this.#touch(event.identity).conflict = { at: this.#clock.now(), address, newcomerAddress };
        return;
      }
      default:
    }
  }

  /** The fleet has forgotten the host. */
  left(identity: Identity, host: LeftHost): void {
    this.#touch(identity).left = packHost(host);
  }

  #start({ identity, runId, fence, bootId }: OfType<'RUN_STARTED'>): void {
    const entry = this.#touch(identity);
    entry.left = undefined;
    entry.loop = undefined;
    const before = runsOf(entry).slice(0, this.#limits.runs - 1);
    entry.earlier = packRuns(
      before.map((run) => ({ ...run, message: clipped(run.message, longestMessage.earlier) })),
    );
    entry.last = {
      runId: flat(runId),
      fence,
      bootId: flat(bootId),
      startedAt: this.#clock.now(),
      ...onlyBegun,
    };
  }

  #finish(event: OfType<'RUN_FINISHED'>): void {
    const run = this.#touch(event.identity).last;
    if (run?.runId !== event.runId) return;
    // Whole numbers take no memory of their own.
    run.durationMs = Math.round(event.durationMs);
    run.outcome = event.outcome;
    run.reason = event.reason;
    run.message = clipped(event.message, longestMessage.last);
    run.lastStep = event.lastStep;
    run.unsettled = event.unsettled;
  }

  #settle(identity: Identity, runId: RunId, confirmation: 'CONFIRMED' | 'MISSED'): void {
    const entry = this.#entries.get(identity);
    if (entry === undefined) return;
    const settled = { confirmation, confirmationAt: this.#clock.now() };
    if (entry.last?.runId === runId) {
      entry.last = { ...entry.last, ...settled };
    } else {
      const earlier = unpackRuns(entry.earlier);
      if (!earlier.some((run) => run.runId === runId)) return;
      entry.earlier = packRuns(earlier.map((run) => (run.runId === runId ? { ...run, ...settled } : run)));
    }
    this.#touch(identity);
  }

  #touch(identity: Identity): Entry {
    const entry = this.#entries.get(identity) ?? newEntry();
    entry.touchedAt = this.#clock.monotonic();
    this.#entries.set(identity, entry);
    this.#forget();
    return entry;
  }

  /** Forgets who was not heard of for long, and the oldest where there are too many. */
  #forget(): void {
    const now = this.#clock.monotonic();
    for (;;) {
      const { oldest, size } = this.#entries;
      if (oldest === undefined) return;
      const { key: identity, value: entry } = oldest;
      const tooMany = size > this.#limits.identities;
      if (!tooMany && now - entry.touchedAt < this.#limits.lifeMs) return;
      this.#entries.delete(identity);
      if (tooMany || !this.#isKnown(identity)) continue;
      entry.touchedAt = now;
      this.#entries.set(identity, entry);
    }
  }
}

function newEntry(): Entry {
  return {
    touchedAt: 0,
    last: undefined,
    earlier: noRuns,
    left: undefined,
    loop: undefined,
    conflict: undefined,
  };
}

/** Newest first. */
function runsOf({ last, earlier }: Entry): RunRecord[] {
  return last === undefined ? [] : [last, ...unpackRuns(earlier)];
}

function clipped(text: string, length: number): string {
  return flat(text.length <= length ? text : `${text.slice(0, length - 3)}...`);
}
