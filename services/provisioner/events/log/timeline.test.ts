import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LogItem, Order } from '../watch/log-reader.js';
import { firstOf, lastOf } from './record.js';
import type { LogStore, NumberSpan } from './store.js';
import { readTimeline } from './timeline.js';

/** Spans of a log: an event of that node, or so many that could not be written. */
type Part = 'a' | 'b' | number;

function itemsOf(parts: readonly Part[]): LogItem[] {
  let last = 0;
  return parts.map((part): LogItem => {
    const first = last + 1;
    last += typeof part === 'number' ? part : 1;
    if (typeof part === 'number') return { kind: 'GAP', first, last, reason: 'WRITE_FAILED' };
    const header = { type: 'HOST_QUEUED', identity: part, runId: '', outcome: '' } as const;
    return { kind: 'EVENT', sequence: first, bytes: Buffer.alloc(0), header };
  });
}

function storeOf(items: readonly LogItem[]): Pick<LogStore, 'numbers' | 'record'> {
  return {
    record: (first) => {
      const item = items.find((one) => firstOf(one) === first);
      return item && { at: 0, item };
    },
    numbers: (identity, { order, from, max }: NumberSpan) => {
      const of = (item: LogItem) => (item.kind === 'GAP' ? '' : item.header.identity);
      const numbers = items.filter((item) => of(item) === identity).map(firstOf);
      return order === 'OLDEST_FIRST'
        ? numbers.filter((number) => number >= from).slice(0, max)
        : numbers
            .filter((number) => number <= from)
            .reverse()
            .slice(0, max);
    },
  };
}

/** All of a node, so many at a time. */
function readAll(order: Order, parts: readonly Part[], removed: number, max: number): LogItem[] {
  const items = itemsOf(parts);
  const kept = items.filter((item) => lastOf(item) > removed);
  const newest = items.at(-1);
  const last = newest === undefined ? 0 : lastOf(newest);
  const found: LogItem[] = [];
  let at = order === 'OLDEST_FIRST' ? 0 : last;
  for (;;) {
    const more = readTimeline(storeOf(kept), 'a', { order, at, max }, { first: removed + 1, last });
    const end = more.at(-1);
    if (end === undefined) return found;
    expect(more.length).toBeLessThanOrEqual(max);
    found.push(...more);
    at = order === 'OLDEST_FIRST' ? lastOf(end) : firstOf(end) - 1;
  }
}

function words(items: readonly LogItem[]): string[] {
  return items.map((item) => (item.kind === 'GAP' ? `${item.first}-${item.last}` : `${item.sequence}`));
}

describe('the timeline of a node', () => {
  it('has its events, and what is missing, in either direction', () => {
    const parts: Part[] = ['a', 'b', 3, 'b', 'a'];
    expect(words(readAll('OLDEST_FIRST', parts, 0, 10))).toEqual(['1', '3-5', '7']);
    expect(words(readAll('NEWEST_FIRST', parts, 0, 10))).toEqual(['7', '3-5', '1']);
    expect(words(readAll('OLDEST_FIRST', parts, 2, 10))).toEqual(['1-2', '3-5', '7']);
    expect(words(readAll('NEWEST_FIRST', parts, 2, 10))).toEqual(['7', '3-5']);
  });

  it('begins within a gap where it is read on from there', () => {
    const store = storeOf(itemsOf(['a', 5, 'a']));
    const bounds = { first: 1, last: 7 };
    expect(words(readTimeline(store, 'a', { order: 'OLDEST_FIRST', at: 3, max: 9 }, bounds))).toEqual([
      '4-6',
      '7',
    ]);
    expect(words(readTimeline(store, 'a', { order: 'NEWEST_FIRST', at: 3, max: 9 }, bounds))).toEqual([
      '2-3',
      '1',
    ]);
  });

  it('is the log without the events of others, however it is cut into pages', () => {
    const part = fc.oneof(fc.constantFrom<Part>('a', 'b'), fc.integer({ min: 1, max: 4 }));
    fc.assert(
      fc.property(fc.array(part), fc.nat({ max: 12 }), fc.integer({ min: 1, max: 5 }), (parts, cut, max) => {
        const items = itemsOf(parts);
        const removed = items.slice(0, cut).map(lastOf).at(-1) ?? 0;
        const its = items.filter((item) => item.kind === 'GAP' || item.header.identity === 'a').slice();
        const kept = words(its.filter((item) => lastOf(item) > removed));
        const gap = removed > 0 && removed < Math.max(0, ...items.map(lastOf)) ? [`1-${removed}`] : [];
        const forward = words(readAll('OLDEST_FIRST', parts, removed, max));
        expect(forward.slice(forward[0] === `1-${removed}` ? 1 : 0)).toEqual(kept);
        if (gap.length > 0) expect(forward[0]).toBe(gap[0]);
        expect(words(readAll('NEWEST_FIRST', parts, removed, max)).reverse()).toEqual(kept);
      }),
    );
  });
});
