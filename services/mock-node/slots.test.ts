import { expect, test } from 'vitest';
import { Slots } from './slots.js';

test('no more go in than there are slots, and the others in the order in which they came', async () => {
  const slots = new Slots(2);
  const entered: number[] = [];
  const releases: (() => void)[] = [];
  const takers = [1, 2, 3, 4].map(async (number) => {
    const release = await slots.take();
    entered.push(number);
    releases.push(release);
  });
  await Promise.all(takers.slice(0, 2));
  expect(slots.waiting).toBe(2);
  releases[0]?.();
  await takers[2];
  expect(entered).toEqual([1, 2, 3]);
});

test('giving a slot back twice gives back one', async () => {
  const slots = new Slots(1);
  const release = await slots.take();
  release();
  release();
  await slots.take();
  void slots.take();
  expect(slots.waiting).toBe(1);
});

test('who gives up while waiting leaves the row', async () => {
  const slots = new Slots(1);
  const release = await slots.take();
  const abort = new AbortController();
  const waiting = slots.take(abort.signal);
  abort.abort(new Error('gave up'));
  await expect(waiting).rejects.toThrow('gave up');
  release();
  await slots.use(async () => {});
});

test('work that fails gives its slot back', async () => {
  const slots = new Slots(1);
  await expect(slots.use(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await slots.use(async () => 'yes')).toBe('yes');
});
