import { expect, test } from 'vitest';
import { settle } from '../../../test/fakes/fake-clock.js';
import { Slots } from './slots.js';

const never = new AbortController().signal;

test('no more than the limit hold a slot, and those who wait get it in order', async () => {
  const slots = new Slots(2);
  const order: number[] = [];
  const first = await slots.acquire(never);
  await slots.acquire(never);
  for (const n of [1, 2, 3]) {
    void slots.acquire(never).then((release) => {
      order.push(n);
      release();
    });
  }
  await settle();
  expect(order).toEqual([]);
  expect([slots.busy, slots.waiting]).toEqual([2, 3]);
  first();
  await settle();
  expect(order).toEqual([1, 2, 3]);
  expect([slots.busy, slots.waiting]).toEqual([1, 0]);
});

test('one that gives up leaves the queue and takes no slot', async () => {
  const slots = new Slots(1);
  const release = await slots.acquire(never);
  const impatient = new AbortController();
  const given = slots.acquire(impatient.signal);
  const patient = slots.acquire(never);
  impatient.abort(new Error('enough'));
  await expect(given).rejects.toThrow('enough');
  release();
  await patient;
  expect([slots.busy, slots.waiting]).toEqual([1, 0]);
});

test('a signal that is aborted already takes no slot', async () => {
  const slots = new Slots(1);
  await expect(slots.acquire(AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
  expect(slots.busy).toBe(0);
});

test('an abort after the slot was given changes nothing', async () => {
  const slots = new Slots(1);
  const controller = new AbortController();
  const release = await slots.acquire(controller.signal);
  controller.abort();
  expect(slots.busy).toBe(1);
  release();
  release();
  expect(slots.busy).toBe(0);
});
