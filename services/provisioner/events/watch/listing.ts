// Pages of the log, in either direction. A page looks at a bounded number of events, whatever its filter lets
// through, so that one that matches hardly anything has few events, or none, and yet is not the last.

import type { Turns } from '../../../../shared/turns.js';
import { type EventFilter, matches } from './filter.js';
import type { EventLogReader, LogItem, Order } from './log-reader.js';
import { lastOf, type Missing, mostBytes, mostEvents, readItems } from './passage.js';

/** Where a page begins. */
export interface Place {
  readonly order: Order;
  /** Oldest first: number of the event after which it goes on. Newest first: that of the next to look at. */
  readonly at: number;
  /** Number of the oldest event when the listing began: what is removed under way is told to be missing. */
  readonly oldest: number;
}

export interface Page {
  /** Serialised, in the order asked for. */
  readonly events: readonly Buffer[];
  readonly gaps: readonly Missing[];
  /** Where the next page begins; undefined after the last. */
  readonly next: Place | undefined;
}

export interface ListingOptions {
  readonly log: EventLogReader;
  readonly turns: Turns;
  readonly filter: EventFilter;
  readonly place: Place;
  /** The most events on the page. */
  readonly size: number;
  readonly signal: AbortSignal;
}

/** The most events that one page looks at. */
export const mostLookedAt = 10_000;

/** Where a listing of all that the log has begins. */
export function firstPlace({ first, last }: EventLogReader, order: Order): Place {
  const oldest = Math.max(first, 1);
  return { order, oldest, at: order === 'OLDEST_FIRST' ? oldest - 1 : last };
}

/** @throws the signal's reason; what reading the log throws */
export async function list(options: ListingOptions): Promise<Page> {
  const page = new Filling(options);
  return options.place.order === 'OLDEST_FIRST' ? forward(options, page) : backward(options, page);
}

async function forward({ log, turns, filter, place, signal }: ListingOptions, page: Filling): Promise<Page> {
  let { at } = place;
  while (at < log.last) {
    if (page.hasLookedEnough) return page.until({ ...place, at });
    const items = await turns.take(() => {
      signal.throwIfAborted();
      return itemsAfter(log, filter, at);
    });
    if (items.length === 0) break;
    for (const item of items) {
      if (!page.take(item)) return page.until({ ...place, at });
      at = lastOf(item);
    }
  }
  return page.until(undefined);
}

async function backward({ log, turns, filter, place, signal }: ListingOptions, page: Filling): Promise<Page> {
  let { at } = place;
  while (at >= Math.max(log.first, 1)) {
    if (page.hasLookedEnough) return page.until({ ...place, at });
    const items = await turns.take(() => {
      signal.throwIfAborted();
      return itemsBefore(log, filter, at);
    });
    if (items.length === 0) break;
    for (const item of items) {
      if (!page.take(item)) return page.until({ ...place, at });
      at = firstOf(item) - 1;
    }
  }
  const removed = Math.min(at, log.first - 1);
  if (removed >= place.oldest)
    page.take({ kind: 'GAP', first: place.oldest, last: removed, reason: 'RETENTION' });
  return page.until(undefined);
}

/** Items, oldest first, that follow a place: where one node is asked about, its own and gaps. */
function itemsAfter(log: EventLogReader, { identity }: EventFilter, at: number): LogItem[] {
  if (identity === '') return readItems(log, at, mostEvents);
  return log.readOf(identity, { order: 'OLDEST_FIRST', at, max: mostEvents });
}

/** Items, newest first, of which the first one ends at a place, or before it where one node is asked about. */
function itemsBefore(log: EventLogReader, { identity }: EventFilter, at: number): LogItem[] {
  if (identity !== '') return log.readOf(identity, { order: 'NEWEST_FIRST', at, max: mostEvents });
  const items: LogItem[] = [];
  let after = Math.max(at - mostEvents, log.first - 1, 0);
  while (after < at) {
    const more = readItems(log, after, mostEvents).filter((item) => firstOf(item) <= at);
    const end = more.at(-1);
    if (end === undefined) break;
    items.push(...more.map((item) => (item.kind === 'GAP' && item.last > at ? { ...item, last: at } : item)));
    after = lastOf(end);
  }
  return items.reverse();
}

function firstOf(item: LogItem): number {
  return item.kind === 'GAP' ? item.first : item.sequence;
}

/** A page while it fills. */
class Filling {
  readonly #filter: EventFilter;
  readonly #size: number;
  readonly #events: Buffer[] = [];
  readonly #gaps: Missing[] = [];
  #bytes = 0;
  #lookedAt = 0;

  constructor({ filter, size }: ListingOptions) {
    this.#filter = filter;
    this.#size = size;
  }

  get hasLookedEnough(): boolean {
    return this.#lookedAt >= mostLookedAt;
  }

  /** @returns false where the page is full and does not take it */
  take(item: LogItem): boolean {
    this.#lookedAt += 1;
    if (item.kind === 'GAP') {
      this.#addGap(item);
      return true;
    }
    if (!matches(this.#filter, item.header)) return true;
    const { bytes } = item;
    if (this.#events.length >= this.#size) return false;
    if (this.#events.length > 0 && this.#bytes + bytes.length > mostBytes) return false;
    this.#events.push(bytes);
    this.#bytes += bytes.length;
    return true;
  }

  until(next: Place | undefined): Page {
    return { events: this.#events, gaps: this.#gaps, next };
  }

  /** One that was read in pieces is put together again. */
  #addGap(gap: Missing): void {
    const before = this.#gaps.at(-1);
    const joins = before?.reason === gap.reason && touches(before, gap);
    if (!joins) {
      this.#gaps.push(gap);
      return;
    }
    const first = Math.min(before.first, gap.first);
    const last = Math.max(before.last, gap.last);
    this.#gaps[this.#gaps.length - 1] = { ...gap, first, last };
  }
}

function touches(one: Missing, other: Missing): boolean {
  return one.last + 1 === other.first || other.last + 1 === one.first;
}
