// A part of the log as one reader is given it: everything between two places, events that go into one message put
// together, and whatever is missing said.

import { type EventFilter, matches, matchesAll } from './filter.js';
import type { EventLogReader, GapCause, LogItem } from './log-reader.js';

/** Events for one message, in the order of their numbers. */
export interface Batch {
  readonly kind: 'EVENTS';
  /** Number of the last of them. */
  readonly last: number;
  /** At least one, serialised. */
  readonly events: readonly Buffer[];
}

/** Events that are missing, first and last included. */
export interface Missing {
  readonly kind: 'GAP';
  readonly first: number;
  readonly last: number;
  readonly reason: GapCause;
}

export type Part = Batch | Missing;

/** Everything after one place and up to another. */
export interface Passage {
  /** Number of the last event that it covers. */
  readonly last: number;
  /** In order, without holes. */
  readonly items: readonly LogItem[];
  /** The same for whoever wants all events. */
  readonly parts: readonly Part[];
}

/** The most events in one message (design, section 10). */
export const mostEvents = 256;

/** The most bytes of events in one message, unless a single event has more: gRPC clients take 4 MiB by default. */
export const mostBytes = 1 << 20;

/**
 * Reads on from a place, up to a number that is round, so that readers who are behind come to the same places.
 *
 * @returns undefined where nothing follows yet
 */
export function readPassage(log: EventLogReader, after: number): Passage | undefined {
  const items = readItems(log, after, mostEvents - (after % mostEvents));
  const end = items.at(-1);
  if (end === undefined) return undefined;
  return { last: lastOf(end), items, parts: partsOf(items, () => true) };
}

/** What of a passage a filter lets through. A gap is always told, for nobody knows what is missing. */
export function selected(passage: Passage, filter: EventFilter): readonly Part[] {
  if (matchesAll(filter)) return passage.parts;
  return partsOf(passage.items, (item) => matches(filter, item.header));
}

/**
 * Items of the log, of which the first begins right after a place and each right after the one before. What was
 * removed while nobody looked is a gap like any other.
 */
export function readItems(log: EventLogReader, after: number, max: number): LogItem[] {
  const items: LogItem[] = [];
  let at = after;
  for (const item of log.read(after, max)) {
    const first = item.kind === 'GAP' ? item.first : item.sequence;
    const last = lastOf(item);
    if (last <= at) continue;
    if (first > at + 1) items.push({ kind: 'GAP', first: at + 1, last: first - 1, reason: 'RETENTION' });
    items.push(first <= at && item.kind === 'GAP' ? { ...item, first: at + 1 } : item);
    at = last;
  }
  return items;
}

/** Number of the last event that an item is, or says to be missing. */
export function lastOf(item: LogItem): number {
  return item.kind === 'GAP' ? item.last : item.sequence;
}

function partsOf(
  items: readonly LogItem[],
  wanted: (item: LogItem & { readonly kind: 'EVENT' }) => boolean,
): Part[] {
  const parts: Part[] = [];
  let events: Buffer[] = [];
  let bytes = 0;
  let last = 0;
  const close = () => {
    if (events.length > 0) parts.push({ kind: 'EVENTS', last, events });
    events = [];
    bytes = 0;
  };
  for (const item of items) {
    if (item.kind === 'GAP') {
      close();
      parts.push(item);
    } else if (wanted(item)) {
      if (bytes + item.bytes.length > mostBytes) close();
      events.push(item.bytes);
      bytes += item.bytes.length;
      last = item.sequence;
    }
  }
  close();
  return parts;
}
