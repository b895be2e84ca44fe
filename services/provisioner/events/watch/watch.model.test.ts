// Whatever happens to the log and to its consumer: each event is told once, in order, or is within a stated gap.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EventReader, sequenceOf, Watching } from '../../../../test/fakes/event-reader.js';
import { settle } from '../../../../test/fakes/fake-clock.js';
import { FakeEventLog } from '../../../../test/fakes/fake-event-log.js';
import { everyEvent } from './filter.js';
import { mostEvents } from './passage.js';
import type { WatchItem } from './watch.js';

type Move =
  | { readonly kind: 'APPEND'; readonly identities: readonly string[] }
  | { readonly kind: 'LOSE'; readonly count: number }
  | { readonly kind: 'REMOVE'; readonly share: number }
  | { readonly kind: 'STALL' | 'GO_ON' | 'RECONNECT' | 'PASS' };

const mostMoves = 30;
const mostAppended = 700;

const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 4, arbitrary: appended(20) },
  { weight: 1, arbitrary: appended(mostAppended) },
  fc.record({ kind: fc.constant('LOSE' as const), count: fc.integer({ min: 1, max: 400 }) }),
  fc.record({ kind: fc.constant('REMOVE' as const), share: fc.double({ min: 0, max: 1, noNaN: true }) }),
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('STALL', 'GO_ON', 'RECONNECT', 'PASS') }) },
);

function appended(most: number): fc.Arbitrary<Move> {
  return fc.record({
    kind: fc.constant('APPEND' as const),
    identities: fc.array(fc.constantFrom('a', 'b'), { minLength: 1, maxLength: most }),
  });
}

/** What comes last is read in two parts, and the filter leaves out the second: only a bookmark tells of it. */
const behindWhenTimeMoves: Move[] = [
  { kind: 'APPEND', identities: Array(12).fill('a') },
  { kind: 'LOSE', count: 236 },
  { kind: 'PASS' },
  { kind: 'APPEND', identities: [...Array(8).fill('a'), 'b'] },
];

/** Follows what a consumer is told, over all of its watches. */
class Ledger {
  at = 0;
  readonly told: number[] = [];
  readonly missing: (readonly [first: number, last: number])[] = [];

  take(item: WatchItem): void {
    switch (item.kind) {
      case 'EVENTS':
        expect(item.events.length).toBeLessThanOrEqual(mostEvents);
        for (const sequence of item.events.map(sequenceOf)) {
          expect(sequence).toBeGreaterThan(this.at);
          this.told.push(sequence);
          this.at = sequence;
        }
        expect(item.last).toBe(this.at);
        return;
      case 'BOOKMARK':
        expect(item.position.sequence).toBeGreaterThanOrEqual(this.at);
        this.at = item.position.sequence;
        return;
      case 'GAP':
        expect(item.first).toBeGreaterThan(this.at);
        expect(item.last).toBeGreaterThanOrEqual(item.first);
        this.missing.push([item.first, item.last]);
        this.at = item.last;
    }
  }
}

/** Lets a reader come to the end of the log: it reads one part of it in each turn of the event loop. */
async function settled(): Promise<void> {
  const mostParts = mostMoves * Math.ceil(mostAppended / mostEvents);
  for (let turn = 0; turn < mostParts; turn++) await settle();
}

test.each([
  ['all events', everyEvent],
  ['those that match', { ...everyEvent, identity: 'a' }],
])('a consumer of %s hears of each once, in order, or within a stated gap', async (_, filter) => {
  await fc.assert(
    fc.asyncProperty(fc.array(move, { maxLength: mostMoves }), async (moves) => {
      const log = new FakeEventLog();
      const watching = new Watching(log);
      watching.clock.settled = settled;
      const ledger = new Ledger();
      const wanted: number[] = [];
      let reader = new EventReader(watching, { kind: 'EARLIEST' }, { filter });
      const hear = () => {
        for (const item of reader.items.splice(0)) ledger.take(item);
      };
      const reconnect = () => {
        hear();
        reader.stop();
        const { position } = reader;
        reader = new EventReader(
          watching,
          position === undefined ? { kind: 'EARLIEST' } : { kind: 'AFTER', position },
          { filter },
        );
      };
      await settled();
      for (const one of moves) {
        switch (one.kind) {
          case 'APPEND':
            for (const [index, identity] of one.identities.entries()) {
              if (filter.identity === '' || identity === 'a') wanted.push(log.last + 1 + index);
            }
            log.append(one.identities.map((identity) => ({ identity })));
            break;
          case 'LOSE':
            log.lose(one.count);
            break;
          case 'REMOVE':
            log.removeUpTo(Math.floor(log.last * one.share));
            break;
          case 'STALL':
            reader.stall();
            break;
          case 'GO_ON':
            reader.goOn();
            break;
          case 'RECONNECT':
            reconnect();
            break;
          case 'PASS':
            await settled();
        }
      }
      reader.goOn();
      await watching.clock.advance(10_000);
      hear();
      reader.stop();
      const missing = (sequence: number) =>
        ledger.missing.some(([first, last]) => first <= sequence && sequence <= last);
      expect(ledger.at).toBe(log.last);
      expect(ledger.told).toEqual(wanted.filter((sequence) => !missing(sequence)));
    }),
    { numRuns: 100, examples: [[behindWhenTimeMoves]] },
  );
});
