import fc from 'fast-check';
import { expect, test } from 'vitest';
import { settle } from '../../test/fakes/fake-clock.js';
import { MemoryLog } from './memory-log.js';
import { type Cursor, OutOfRangeError } from './replay-log.js';

/** A signal that is never aborted. */
function never(): AbortSignal {
  return new AbortController().signal;
}

function filled(capacity: number, count: number): MemoryLog<string> {
  const log = new MemoryLog<string>(capacity);
  for (let number = 1; number <= count; number++) log.append(`v${number}`);
  return log;
}

test('revisions start at 1 and rise by one', () => {
  const log = new MemoryLog<string>(10);
  expect([log.first, log.last]).toEqual([1, 0]);
  expect([log.append('a'), log.append('b')]).toEqual([1, 2]);
  expect([log.first, log.last]).toEqual([1, 2]);
});

test('a full ring keeps the newest', async () => {
  const log = filled(3, 5);
  expect([log.first, log.last]).toEqual([3, 5]);
  expect(await log.cursor(2).next(never())).toEqual({ first: 3, last: 5, values: ['v3', 'v4', 'v5'] });
});

test('a cursor goes on where it stopped', async () => {
  const cursor = filled(10, 5).cursor(1);
  expect(await cursor.next(never(), 2)).toEqual({ first: 2, last: 3, values: ['v2', 'v3'] });
  expect(await cursor.next(never(), 10)).toEqual({ first: 4, last: 5, values: ['v4', 'v5'] });
  expect(cursor.position).toBe(5);
});

test('a cursor at the end waits for the next entry', async () => {
  const log = filled(10, 1);
  const next = log.cursor(1).next(never());
  await settle();
  expect(log.waiting).toBe(1);
  log.append('v2');
  expect(await next).toEqual({ first: 2, last: 2, values: ['v2'] });
  expect(log.waiting).toBe(0);
});

test('what is appended together is read together, by every reader, after one wake', async () => {
  let wakes = 0;
  const log = new MemoryLog<number>(100, (run) => {
    wakes++;
    setImmediate(run);
  });
  const reads = Array.from({ length: 50 }, () => log.cursor(0).next(never()));
  await settle();
  for (let value = 1; value <= 20; value++) log.append(value);
  for (const batch of await Promise.all(reads)) expect(batch).toMatchObject({ first: 1, last: 20 });
  expect(wakes).toBe(1);
});

test('an append wakes nobody where nobody waits', () => {
  const log = new MemoryLog<number>(2, () => expect.unreachable());
  log.append(1);
});

test('an abort ends the wait and leaves nothing behind', async () => {
  const log = filled(10, 1);
  const controller = new AbortController();
  const next = log.cursor(1).next(controller.signal);
  await settle();
  controller.abort(new Error('client is gone'));
  await expect(next).rejects.toThrow('client is gone');
  expect(log.waiting).toBe(0);
});

test('an aborted signal gives nothing, even where there is something', async () => {
  const cursor = filled(10, 3).cursor(0);
  await expect(cursor.next(AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
  expect(cursor.position).toBe(0);
});

test('a reader that was overtaken is told what is still there', async () => {
  const log = filled(3, 3);
  const cursor = log.cursor(0);
  log.append('v4');
  await expect(cursor.next(never())).rejects.toMatchObject({
    name: 'OutOfRangeError',
    after: 0,
    first: 2,
    last: 4,
  });
});

test('a reader that is overtaken between its wake and its turn is told so', async () => {
  const log = filled(2, 2);
  const next = log.cursor(2).next(never());
  await settle();
  for (let number = 3; number <= 6; number++) log.append(`v${number}`);
  await expect(next).rejects.toThrow(OutOfRangeError);
});

test.each([-1, 1, 7, 1.5, Number.NaN])('no cursor starts after revision %d of 3 to 6', (after) => {
  expect(() => filled(4, 6).cursor(after)).toThrow(OutOfRangeError);
});

test.each([0, -1, 1.5])('a log of capacity %d cannot be', (capacity) => {
  expect(() => new MemoryLog(capacity)).toThrow(RangeError);
});

type Step = { readonly append: number } | { readonly reader: number; readonly max: number };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc.record({ append: fc.integer({ min: 1, max: 7 }) }),
    fc.record({ reader: fc.nat({ max: 2 }), max: fc.integer({ min: 1, max: 5 }) }),
  ),
  { maxLength: 60 },
);

/** A reader as it should be used: begins anew, past a gap that it knows of, where it was overtaken. */
class Reader {
  readonly #log: MemoryLog<number>;
  #cursor: Cursor<number>;
  /** Every revision, as read or as told to be missing. */
  readonly accounted: number[] = [];
  #pending: Promise<void> | undefined;

  constructor(log: MemoryLog<number>) {
    this.#log = log;
    this.#cursor = log.cursor(0);
  }

  /** Reads once; where a read still waits, that one goes on. */
  read(max: number): void {
    this.#pending ??= this.#read(max).finally(() => {
      this.#pending = undefined;
    });
  }

  async #read(max: number): Promise<void> {
    try {
      const { first, last, values } = await this.#cursor.next(never(), max);
      expect(values).toHaveLength(last - first + 1);
      expect(values.length).toBeLessThanOrEqual(max);
      values.forEach((value, index) => {
        expect(value).toBe((first + index) * 10);
        this.accounted.push(first + index);
      });
    } catch (error) {
      if (!(error instanceof OutOfRangeError)) throw error;
      const { first } = this.#log;
      for (let missed = error.after + 1; missed < first; missed++) this.accounted.push(missed);
      this.#cursor = this.#log.cursor(first - 1);
    }
  }
}

test('whatever the order of appends and reads, each entry comes once, in order, or as a gap', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 8 }), steps, async (capacity, plan) => {
      const log = new MemoryLog<number>(capacity);
      const readers = [new Reader(log), new Reader(log), new Reader(log)];
      for (const step of plan) {
        if ('append' in step) {
          for (let count = 0; count < step.append; count++) log.append((log.last + 1) * 10);
        } else {
          readers[step.reader]?.read(step.max);
        }
        if (plan.length % 2 === 0) await settle();
      }
      for (const reader of readers) {
        for (let turn = 0; reader.accounted.length < log.last; turn++) {
          expect(turn).toBeLessThan(1000);
          reader.read(5);
          await settle();
        }
        expect(reader.accounted).toEqual(Array.from({ length: log.last }, (_, index) => index + 1));
      }
    }),
    { numRuns: 150 },
  );
});
