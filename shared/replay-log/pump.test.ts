import { expect, test } from 'vitest';
import { settle } from '../../test/fakes/fake-clock.js';
import { MemoryLog } from './memory-log.js';
import { pump } from './pump.js';
import { OutOfRangeError } from './replay-log.js';

/** A writer that is ready for the next message only when the test says so. */
class SlowWriter {
  readonly written: string[] = [];
  #ready: (() => void) | undefined;

  readonly write = (message: string): Promise<void> => {
    this.written.push(message);
    return new Promise((resolve) => {
      this.#ready = resolve;
    });
  };

  async drain(): Promise<void> {
    this.#ready?.();
    await settle();
  }
}

function everything({ values }: { readonly values: readonly string[] }): readonly string[] {
  return values;
}

test('what is appended is written, filtered, in order', async () => {
  const log = new MemoryLog<string>(10);
  const controller = new AbortController();
  const written: string[] = [];
  const pumping = pump({
    cursor: log.cursor(0),
    signal: controller.signal,
    encode: ({ values }) => values.filter((value) => value !== 'b').map((value) => value.toUpperCase()),
    write: async (message: string) => {
      written.push(message);
    },
  });
  for (const value of ['a', 'b', 'c']) log.append(value);
  await settle();
  log.append('d');
  await settle();
  expect(written).toEqual(['A', 'C', 'D']);
  controller.abort(new Error('the server is stopping'));
  await expect(pumping).rejects.toThrow('the server is stopping');
});

test('a slow reader is written one message at a time and takes no more than a batch in hand', async () => {
  const log = new MemoryLog<string>(10);
  const writer = new SlowWriter();
  const controller = new AbortController();
  const pumping = pump({
    cursor: log.cursor(0),
    signal: controller.signal,
    encode: everything,
    write: writer.write,
    maxBatch: 2,
  });
  for (const value of ['a', 'b', 'c']) log.append(value);
  await settle();
  expect(writer.written).toEqual(['a']);
  await writer.drain();
  await writer.drain();
  expect(writer.written).toEqual(['a', 'b', 'c']);
  await writer.drain();
  controller.abort(new Error('done'));
  await expect(pumping).rejects.toThrow('done');
});

test('a slow reader that is overtaken is told so, and others are not held up', async () => {
  const log = new MemoryLog<string>(3);
  const slow = new SlowWriter();
  const fast: string[] = [];
  const controller = new AbortController();
  const slowly = pump({
    cursor: log.cursor(0),
    signal: controller.signal,
    encode: everything,
    write: slow.write,
    maxBatch: 1,
  });
  const quickly = pump({
    cursor: log.cursor(0),
    signal: controller.signal,
    encode: everything,
    write: async (message: string) => {
      fast.push(message);
    },
  });
  const outOfRange = expect(slowly).rejects.toThrow(OutOfRangeError);
  const all = Array.from({ length: 12 }, (_, number) => `v${number}`);
  for (const value of all) {
    log.append(value);
    await settle();
  }
  expect(fast).toEqual(all);
  await slow.drain();
  await outOfRange;
  controller.abort(new Error('done'));
  await expect(quickly).rejects.toThrow('done');
});

test('a write that fails ends it', async () => {
  const log = new MemoryLog<string>(3);
  log.append('a');
  const pumping = pump({
    cursor: log.cursor(0),
    signal: new AbortController().signal,
    encode: everything,
    write: () => Promise.reject(new Error('the client is gone')),
  });
  await expect(pumping).rejects.toThrow('the client is gone');
});
