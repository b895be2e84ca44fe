import { expect, test } from 'vitest';
import { settle } from '../../../test/fakes/fake-clock.js';
import { Limiter } from './limiter.js';

test('tasks run in their order, so many at once, also after one that failed', async () => {
  const limiter = new Limiter(2);
  const { signal } = new AbortController();
  const running: string[] = [];
  const finish = new Map<string, () => void>();
  const task = (name: string) => () =>
    new Promise<void>((resolve, reject) => {
      running.push(name);
      finish.set(name, name === 'b' ? () => reject(new Error('b')) : resolve);
    });
  const results = ['a', 'b', 'c', 'd'].map((name) => limiter.run(task(name), signal));
  await settle();
  expect(running).toEqual(['a', 'b']);
  finish.get('b')?.();
  await expect(results[1]).rejects.toThrow('b');
  await settle();
  expect(running).toEqual(['a', 'b', 'c']);
  expect(limiter.size).toBe(3);
  for (const name of ['a', 'c', 'd']) {
    finish.get(name)?.();
    await settle();
  }
  await Promise.all([results[0], results[2], results[3]]);
  expect(limiter.size).toBe(0);
});

test('tasks that wait when it is over are not begun', async () => {
  const limiter = new Limiter(1);
  const stop = new AbortController();
  let begun = 0;
  const first = limiter.run(async () => {
    begun++;
    await settle();
  }, stop.signal);
  const second = limiter.run(async () => {
    begun++;
  }, stop.signal);
  stop.abort(new Error('over'));
  await first;
  await expect(second).rejects.toThrow('over');
  expect(begun).toBe(1);
});
