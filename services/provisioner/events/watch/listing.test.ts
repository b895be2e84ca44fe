import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Turns } from '../../../../shared/turns.js';
import { sequenceOf } from '../../../../test/fakes/event-reader.js';
import { FakeClock } from '../../../../test/fakes/fake-clock.js';
import { FakeEventLog, plain } from '../../../../test/fakes/fake-event-log.js';
import { type EventFilter, everyEvent } from './filter.js';
import { firstPlace, list, mostLookedAt, type Page, type Place } from './listing.js';
import type { Order } from './log-reader.js';

const { signal } = new AbortController();

/** What a listing asks for, page by page. */
class Lister {
  readonly log: FakeEventLog;
  readonly #turns = new Turns(new FakeClock());
  readonly #filter: EventFilter;
  readonly #size: number;
  place: Place | undefined;

  constructor(log: FakeEventLog, order: Order, options: { size?: number; filter?: EventFilter } = {}) {
    this.log = log;
    this.#size = options.size ?? 100;
    this.#filter = options.filter ?? everyEvent;
    this.place = firstPlace(log, order);
  }

  async page(): Promise<Page> {
    if (this.place === undefined) throw new Error('there are no more pages');
    const page = await list({
      log: this.log,
      turns: this.#turns,
      filter: this.#filter,
      place: this.place,
      size: this.#size,
      signal,
    });
    this.place = page.next;
    return page;
  }

  /** Events and gaps of all pages. */
  async all(): Promise<{ events: number[]; gaps: string[]; pages: number }> {
    const events: number[] = [];
    const gaps: string[] = [];
    let pages = 0;
    while (this.place !== undefined) {
      const page = await this.page();
      events.push(...page.events.map(sequenceOf));
      gaps.push(...page.gaps.map(({ reason, first, last }) => `${reason} ${first}-${last}`));
      pages += 1;
    }
    return { events, gaps, pages };
  }
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

function logOf(events: number): FakeEventLog {
  const log = new FakeEventLog();
  log.append(plain(events));
  return log;
}

describe('a listing', () => {
  it('gives what there is, page by page, in either direction', async () => {
    const log = logOf(1000);
    log.removeUpTo(100);
    const oldest = await new Lister(log, 'OLDEST_FIRST', { size: 300 }).all();
    expect(oldest).toEqual({ events: range(101, 1000), gaps: [], pages: 3 });
    const newest = await new Lister(log, 'NEWEST_FIRST', { size: 300 }).all();
    expect(newest).toEqual({ events: range(101, 1000).reverse(), gaps: [], pages: 3 });
  });

  it.each(['OLDEST_FIRST', 'NEWEST_FIRST'] as const)('of nothing is one empty page: %s', async (order) => {
    expect(await new Lister(logOf(0), order).all()).toEqual({ events: [], gaps: [], pages: 1 });
    const log = logOf(5);
    log.removeUpTo(5);
    expect(await new Lister(log, order).all()).toEqual({ events: [], gaps: [], pages: 1 });
  });

  it('tells what could not be written, once and whole, where it stands in the order', async () => {
    const log = logOf(3);
    log.lose(2000);
    log.append(plain(300));
    log.lose(1);
    expect(await new Lister(log, 'OLDEST_FIRST', { size: 1000 }).all()).toEqual({
      events: [1, 2, 3, ...range(2004, 2303)],
      gaps: ['WRITE_FAILED 4-2003', 'WRITE_FAILED 2304-2304'],
      pages: 1,
    });
    expect(await new Lister(log, 'NEWEST_FIRST', { size: 1000 }).all()).toEqual({
      events: [...range(2004, 2303).reverse(), 3, 2, 1],
      gaps: ['WRITE_FAILED 2304-2304', 'WRITE_FAILED 4-2003'],
      pages: 1,
    });
  });

  it.each([
    ['OLDEST_FIRST', range(1, 10), ['RETENTION 11-40'], range(41, 100)],
    ['NEWEST_FIRST', range(91, 100).reverse(), ['RETENTION 1-40'], range(41, 90).reverse()],
  ] as const)('tells what was removed under way: %s', async (order, before, gaps, after) => {
    const log = logOf(100);
    const lister = new Lister(log, order, { size: 10 });
    expect((await lister.page()).events.map(sequenceOf)).toEqual(before);
    log.removeUpTo(40);
    expect(await lister.all()).toMatchObject({ events: after, gaps });
  });

  it('looks at so many events for one page, whatever matches', async () => {
    const log = new FakeEventLog();
    log.append([{ type: 'PAUSED' }]);
    log.append(plain(4 * mostLookedAt));
    const filter = { ...everyEvent, types: new Set(['PAUSED']) };
    for (const order of ['OLDEST_FIRST', 'NEWEST_FIRST'] as const) {
      expect(await new Lister(log, order, { filter }).all()).toEqual({ events: [1], gaps: [], pages: 4 });
    }
  });

  it('of one node looks at its events alone, and at gaps', async () => {
    const log = new FakeEventLog();
    log.append([{ identity: 'a' }]);
    log.append(plain(4 * mostLookedAt));
    log.lose(3);
    log.append([{ identity: 'a' }]);
    const filter = { ...everyEvent, identity: 'a' };
    const newest = 4 * mostLookedAt + 5;
    const gaps = [`WRITE_FAILED ${newest - 3}-${newest - 1}`];
    const forward = { events: [1, newest], gaps, pages: 1 };
    expect(await new Lister(log, 'OLDEST_FIRST', { filter }).all()).toEqual(forward);
    const backward = { ...forward, events: [newest, 1] };
    expect(await new Lister(log, 'NEWEST_FIRST', { filter }).all()).toEqual(backward);
  });

  it('gives no more bytes at once than a caller takes', async () => {
    const log = new FakeEventLog();
    log.append(plain(10), 300_000);
    const { events, pages } = await new Lister(log, 'OLDEST_FIRST').all();
    expect(events).toEqual(range(1, 10));
    expect(pages).toBe(4);
  });

  it('follows what happens meanwhile where it goes forward, and not where it goes back', async () => {
    const log = logOf(10);
    const [forward, backward] = [
      new Lister(log, 'OLDEST_FIRST', { size: 5 }),
      new Lister(log, 'NEWEST_FIRST', { size: 5 }),
    ];
    await forward.page();
    await backward.page();
    log.append(plain(2));
    expect((await forward.all()).events).toEqual(range(6, 12));
    expect((await backward.all()).events).toEqual(range(1, 5).reverse());
  });
});

it('whatever is in the log, both directions give the same, each event once', async () => {
  const part = fc.oneof(
    fc.record({ append: fc.array(fc.constantFrom('a', 'b'), { maxLength: 600 }) }),
    fc.record({ lose: fc.integer({ min: 1, max: 600 }) }),
  );
  const log = fc.record({
    parts: fc.array(part, { maxLength: 8 }),
    removed: fc.integer({ min: 0, max: 500 }),
  });
  await fc.assert(
    fc.asyncProperty(log, fc.integer({ min: 1, max: 700 }), fc.boolean(), async (made, size, picky) => {
      const filled = new FakeEventLog();
      for (const one of made.parts) {
        if ('lose' in one) filled.lose(one.lose);
        else filled.append(one.append.map((identity) => ({ identity })));
      }
      filled.removeUpTo(made.removed);
      const options = { size, filter: picky ? { ...everyEvent, identity: 'a' } : everyEvent };
      const forward = await new Lister(filled, 'OLDEST_FIRST', options).all();
      const backward = await new Lister(filled, 'NEWEST_FIRST', options).all();
      expect(backward.events).toEqual(forward.events.toReversed());
      const expected = filled
        .read(filled.first - 1, Number.POSITIVE_INFINITY)
        .flatMap((item) => (item.kind === 'EVENT' ? [item] : []))
        .filter(({ header }) => !picky || header.identity === 'a');
      expect(forward.events).toEqual(expected.map(({ sequence }) => sequence));
    }),
    { numRuns: 60 },
  );
});
