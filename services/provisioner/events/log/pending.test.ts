import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Pending } from './pending.js';
import { type EventRecord, firstOf, type LogRecord, lastOf } from './record.js';

const later = { at: 2_000, monotonic: 1_000 };
/** With what else an event costs, a quarter of the room. */
const quarter = 50;

function record(sequence: number, bytes = quarter): EventRecord {
  return { kind: 'EVENT', sequence, identity: 'a', value: Buffer.alloc(bytes) };
}

function at(monotonic: number) {
  return { at: 1_000 + monotonic, monotonic };
}

/** With so many events, of which each came a millisecond after the one before. */
function waiting(events: number, limit = 1_000): Pending {
  const pending = new Pending(limit);
  for (let n = 1; n <= events; n += 1) expect(pending.add(record(n), at(n))).toBe(0);
  return pending;
}

function told(records: readonly LogRecord[]): string[] {
  return records.map((one) =>
    one.kind === 'GAP' ? `${firstOf(one)}-${lastOf(one)} at ${one.at}` : `${one.sequence}`,
  );
}

const all = (pending: Pending) => told(pending.take(1_000));

describe('events that wait to be written', () => {
  it('wait in order and are there until they are written', () => {
    const pending = waiting(4);
    expect(told(pending.take(2))).toEqual(['1', '2']);
    pending.giveBack(later);
    expect(told(pending.take(3))).toEqual(['1', '2', '3']);
    pending.written();
    expect(all(pending)).toEqual(['4']);
    pending.written();
    expect(pending).toMatchObject({ size: 0, bytes: 0 });
  });

  it('are lost, the oldest first, where there is no room for more', () => {
    const pending = waiting(4);
    expect(pending.add(record(5), at(5))).toBe(1);
    expect(pending.add(record(6, 2 * quarter), at(6))).toBe(2);
    expect(all(pending)).toEqual(['1-3 at 1006', '4', '5', '6']);
    expect(pending.bytes).toBeLessThanOrEqual(1_000);
  });

  it('are lost at once where they are more than all of the room, and nothing else is', () => {
    const pending = waiting(2);
    expect(pending.add(record(3, 2_000), at(3))).toBe(1);
    expect(all(pending)).toEqual(['1', '2', '3-3 at 1003']);
  });

  it('are given up from the oldest to the last that has waited so long, as one gap', () => {
    const pending = waiting(4);
    expect(pending.loseOlder(0, at(10))).toBe(0);
    expect(pending.loseOlder(2, at(10))).toBe(2);
    expect(pending.loseOlder(2, at(11))).toBe(0);
    expect(pending.loseOlder(3, at(12))).toBe(1);
    expect(all(pending)).toEqual(['1-3 at 1012', '4']);
    pending.giveBack(later);
    expect(pending.loseOlder(100, at(200))).toBe(1);
    expect(all(pending)).toEqual(['1-4 at 1200']);
    expect(pending.bytes).toBe(0);
  });

  it('join a gap among them that was none for want of room, which is not counted again', () => {
    const pending = waiting(1);
    pending.lose(2, at(2));
    pending.lose(3, at(3));
    pending.add(record(4), at(4));
    expect(all(pending)).toEqual(['1', '2-3 at 1003', '4']);
    pending.giveBack(later);
    expect(pending.loseOlder(4, at(9))).toBe(2);
    expect(all(pending)).toEqual(['1-4 at 1009']);
  });

  it('are not touched while they are being written, and join the gap behind them if they are not', () => {
    const written = waiting(4);
    written.take(2);
    expect(written.add(record(5), at(5))).toBe(1);
    expect(written.add(record(6), at(6))).toBe(1);
    written.written();
    expect(all(written)).toEqual(['3-4 at 1006', '5', '6']);

    const failed = waiting(4);
    failed.take(2);
    failed.add(record(5), at(5));
    expect(failed.giveBack(at(7))).toBe(2);
    expect(all(failed)).toEqual(['1-3 at 1007', '4', '5']);
  });

  it('have every number once, and count as lost what is in gaps, whatever happens', () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('add' as const), bytes: fc.integer({ min: 0, max: 900 }) }),
      fc.record({ kind: fc.constant('take' as const), most: fc.integer({ min: 1, max: 6 }) }),
      fc.record({ kind: fc.constant('age' as const), ms: fc.integer({ min: 0, max: 10 }) }),
      fc.constantFrom({ kind: 'lose' as const }, { kind: 'written' as const }, { kind: 'giveBack' as const }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const limit = 2_000;
        const pending = new Pending(limit);
        const log: LogRecord[] = [];
        let taken: readonly LogRecord[] = [];
        let [given, lost, now] = [0, 0, 0];
        for (const one of steps) {
          now += 1;
          if (one.kind === 'add') lost += pending.add(record(++given, one.bytes), at(now));
          else if (one.kind === 'lose') {
            pending.lose(++given, at(now));
            lost += 1;
          } else if (one.kind === 'take') {
            if (taken.length === 0) taken = pending.take(one.most);
          } else if (one.kind === 'written') {
            pending.written();
            log.push(...taken);
            taken = [];
          } else {
            lost += pending.giveBack(at(now));
            taken = [];
            if (one.kind === 'age') lost += pending.loseOlder(now - one.ms, at(now));
          }
          expect(pending.bytes).toBeLessThanOrEqual(limit);
        }
        lost += pending.giveBack(at(now));
        log.push(...pending.take(1_000));
        let last = 0;
        for (const one of log) {
          expect(firstOf(one)).toBe(last + 1);
          last = lastOf(one);
        }
        expect(last).toBe(given);
        expect(lost).toBe(given - log.filter(({ kind }) => kind === 'EVENT').length);
      }),
      { numRuns: 500 },
    );
  });
});
