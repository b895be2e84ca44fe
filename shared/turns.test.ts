import { expect, test } from 'vitest';
import { FakeClock } from '../test/fakes/fake-clock.js';
import { Turns } from './turns.js';

/** Turns whose moments are the test's. */
function setUp() {
  let now = 0;
  const clock = new FakeClock();
  clock.monotonic = () => now;
  const deferred: (() => void)[] = [];
  const turns = new Turns(clock, (callback) => deferred.push(callback));
  const done: string[] = [];
  const work = (name: string, ms = 0) => {
    void turns.take(() => {
      done.push(name);
      now += ms;
    });
  };
  const turn = () => {
    deferred.shift()?.();
    return done.splice(0);
  };
  return { turns, work, turn, deferred };
}

test('what takes no time is done in one turn, first come, first served', () => {
  const { work, turn, deferred } = setUp();
  for (const name of ['a', 'b', 'c']) work(name);
  expect(turn()).toEqual(['a', 'b', 'c']);
  expect(deferred).toEqual([]);
});

test('once the share of a turn is used up, the rest waits for the next one', () => {
  const { work, turn, deferred } = setUp();
  for (const name of ['a', 'b', 'c', 'd', 'e']) work(name, 1);
  expect(turn()).toEqual(['a', 'b']);
  work('f', 1);
  expect(turn()).toEqual(['c', 'd']);
  expect(turn()).toEqual(['e', 'f']);
  expect(deferred).toEqual([]);
});

test('what throws is told so, and the next has its turn all the same', async () => {
  const { turns, work, turn } = setUp();
  const failed = turns.take(() => {
    throw new Error('disk');
  });
  work('b');
  const told = expect(failed).rejects.toThrow('disk');
  expect(turn()).toEqual(['b']);
  await told;
});
