// The events of one node, in either direction, with the gaps between them: what is missing may have been about it.

import type { LogItem, Stretch } from '../watch/log-reader.js';
import { firstOf, lastOf } from './record.js';
import type { LogStore } from './store.js';

type TimelineStore = Pick<LogStore, 'numbers' | 'record'>;

/** What readers may see: from the oldest that is not removed to the last that is committed. */
export interface Bounds {
  readonly first: number;
  readonly last: number;
}

/** @throws RecordError where the log is damaged */
export function readTimeline(
  store: TimelineStore,
  identity: string,
  stretch: Stretch,
  bounds: Bounds,
): LogItem[] {
  return stretch.order === 'OLDEST_FIRST'
    ? forward(store, identity, stretch, bounds)
    : backward(store, identity, stretch, bounds);
}

function forward(
  store: TimelineStore,
  identity: string,
  { at, max }: Stretch,
  { first, last }: Bounds,
): LogItem[] {
  const from = Math.max(at + 1, first);
  const span = { from, max, order: 'OLDEST_FIRST' } as const;
  const numbers = [
    ...store.numbers(gaps, { from: from - 1, max: 1, order: 'NEWEST_FIRST' }),
    ...[...store.numbers(gaps, span), ...store.numbers(identity, span)].sort((one, other) => one - other),
  ];
  const items = itemsAt(store, numbers)
    .filter((item) => lastOf(item) >= from && firstOf(item) <= last)
    .map((item) => (item.kind === 'GAP' ? { ...item, first: Math.max(item.first, from) } : item));
  const removed = { kind: 'GAP', first: at + 1, last: first - 1, reason: 'RETENTION' } as const;
  return (from > at + 1 ? [removed, ...items] : items).slice(0, max);
}

function backward(
  store: TimelineStore,
  identity: string,
  { at, max }: Stretch,
  { first, last }: Bounds,
): LogItem[] {
  const from = Math.min(at, last);
  const span = { from, max, order: 'NEWEST_FIRST' } as const;
  const numbers = [...store.numbers(gaps, span), ...store.numbers(identity, span)];
  return itemsAt(
    store,
    numbers.sort((one, other) => other - one),
  )
    .filter((item) => lastOf(item) >= first)
    .map((item) => (item.kind === 'GAP' ? { ...item, last: Math.min(item.last, from) } : item))
    .slice(0, max);
}

/** Gaps are of no node. */
const gaps = '';

function itemsAt(store: TimelineStore, numbers: readonly number[]): LogItem[] {
  return numbers.flatMap((number) => store.record(number)?.item ?? []);
}
