// A consumer of events that reads as it is told, and writes down what it hears.

import { Commits } from '../../services/provisioner/events/watch/commits.js';
import { type EventFilter, everyEvent } from '../../services/provisioner/events/watch/filter.js';
import { RecentPassages } from '../../services/provisioner/events/watch/recent-passages.js';
import { beginningOf, type Position, type Start } from '../../services/provisioner/events/watch/start.js';
import { type WatchItem, watch } from '../../services/provisioner/events/watch/watch.js';
import { Event } from '../../shared/gen/slipway/provisioner/v1/events.js';
import { Turns } from '../../shared/turns.js';
import { FakeClock } from './fake-clock.js';
import type { FakeEventLog } from './fake-event-log.js';

/** What the watches of one log share. */
export class Watching {
  readonly log: FakeEventLog;
  readonly clock = new FakeClock();
  readonly passages: RecentPassages;
  readonly commits: Commits;
  readonly turns: Turns;

  constructor(log: FakeEventLog) {
    this.log = log;
    this.passages = new RecentPassages(log);
    this.commits = new Commits(log, this.clock);
    this.turns = new Turns(this.clock);
  }
}

export class EventReader {
  readonly items: WatchItem[] = [];
  /** How the watch ended. */
  readonly ended: Promise<unknown>;
  /** Where it may resume: what a consumer keeps. */
  position: Position | undefined;
  readonly #stop = new AbortController();
  #goOn: (() => void) | undefined;
  #stalled = false;

  constructor(
    watching: Watching,
    start: Start,
    options: { readonly filter?: EventFilter; readonly stalled?: boolean } = {},
  ) {
    this.#stalled = options.stalled ?? false;
    this.ended = watch({
      ...watching,
      beginning: beginningOf(watching.log, start),
      filter: options.filter ?? everyEvent,
      signal: this.#stop.signal,
      send: async (item) => {
        this.#hear(item, watching.log.logId);
        if (this.#stalled) await new Promise<void>((resolve) => (this.#goOn = resolve));
        this.#stop.signal.throwIfAborted();
      },
    }).catch((error: unknown) => error);
  }

  /** Reads no more than what is under way. */
  stall(): void {
    this.#stalled = true;
  }

  goOn(): void {
    this.#stalled = false;
    this.#goOn?.();
  }

  stop(): void {
    this.#stop.abort(new Error('stopped'));
    this.#goOn?.();
  }

  /** What it heard since this was last asked, in words: `1 2 3`, `=3` for a bookmark, `RETENTION 1-3`. */
  heard(): string[] {
    return this.items.splice(0).map((item) => {
      if (item.kind === 'EVENTS') return item.events.map(sequenceOf).join(' ');
      if (item.kind === 'BOOKMARK') return `=${item.position.sequence}`;
      return `${item.reason} ${item.first}-${item.last}`;
    });
  }

  #hear(item: WatchItem, logId: string): void {
    this.items.push(item);
    if (item.kind === 'BOOKMARK') this.position = item.position;
    else if (item.kind === 'EVENTS' || item.reason !== 'LOG_REPLACED') {
      this.position = { logId, sequence: item.last };
    }
  }
}

/** Number of a serialised event. */
export function sequenceOf(bytes: Buffer): number {
  return Number(Event.decode(bytes).sequence);
}
