import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { FakeClock } from '../../test/fakes/fake-clock.js';
import type { Clock } from '../clock.js';
import { Gate } from './gate.js';

class FakeConnection extends EventEmitter {
  readonly source: string;
  closed = false;

  constructor(source: string) {
    super();
    this.source = source;
  }

  destroy(): void {
    this.closed = true;
    this.emit('close');
  }
}

function setUp(atOnce = 2, most = atOnce) {
  const clock = new FakeClock();
  const inside: FakeConnection[] = [];
  const counts = { turnedAway: 0 };
  const gate = new Gate<FakeConnection>(
    {
      clock,
      atOnce: { fewest: atOnce, most },
      sourceOf: ({ source }) => source,
      turnedAway: () => {
        counts.turnedAway++;
      },
    },
    (connection) => inside.push(connection),
  );
  const enter = (source = 'a') => {
    const connection = new FakeConnection(source);
    gate.enter(connection);
    return connection;
  };
  return { clock, gate, inside, counts, enter };
}

test('connections are let in at once while few are there, and in their order as others are done', () => {
  const { inside, enter } = setUp(2);
  const [first, second, third, fourth] = [enter(), enter(), enter(), enter()];
  expect(inside).toEqual([first, second]);
  second.destroy();
  expect(inside).toEqual([first, second, third]);
  first.destroy();
  expect(inside).toEqual([first, second, third, fourth]);
});

test('a connection that stays open keeps the others waiting for a second', async () => {
  const { clock, inside, enter } = setUp(1);
  const [stays, next] = [enter(), enter()];
  await clock.advance(900);
  expect(inside).toEqual([stays]);
  await clock.advance(100);
  expect(inside).toEqual([stays, next]);
  expect(stays.closed).toBe(false);
  expect(clock.pendingTimers).toBe(0);
});

test('a connection that this process has not come to serve is not taken for one that stays', () => {
  let now = 0;
  const looks: (() => void)[] = [];
  const clock: Clock = {
    now: () => now,
    monotonic: () => now,
    setTimer: (_ms, look) => {
      looks.push(look);
      return { cancel: () => {} };
    },
  };
  const inside: FakeConnection[] = [];
  const options = { clock, atOnce: { fewest: 1, most: 1 }, sourceOf: () => '', turnedAway: () => {} };
  const gate = new Gate<FakeConnection>(options, (connection) => inside.push(connection));
  const [slow, next] = [new FakeConnection('a'), new FakeConnection('a')];
  for (const connection of [slow, next]) gate.enter(connection);
  for (let look = 0; look < 3; look++) {
    now += 600;
    looks.shift()?.();
  }
  expect(inside).toEqual([slow]);
  slow.destroy();
  expect(inside).toEqual([slow, next]);
});

test('what has waited for two seconds is closed, and counted', async () => {
  const { clock, inside, counts, enter } = setUp(1);
  const all = Array.from({ length: 10 }, () => enter());
  await clock.advance(2200);
  expect(inside).toEqual(all.slice(0, 3));
  expect(all.slice(3).every(({ closed }) => closed)).toBe(true);
  expect(counts.turnedAway).toBe(7);
  expect(clock.pendingTimers).toBe(0);
});

test('sources take turns, so that one with many connections does not keep the others out', () => {
  const { inside, enter } = setUp(1);
  for (let index = 0; index < 100; index++) enter('many');
  enter('b');
  enter('c');
  for (let turn = 0; turn < 5; turn++) inside.at(-1)?.destroy();
  expect(inside.map(({ source }) => source)).toEqual(['many', 'many', 'b', 'c', 'many', 'many']);
});

test('where too many wait, the source with the most loses its oldest', () => {
  const { inside, counts, enter } = setUp(1);
  const [, oldest] = Array.from({ length: 4096 }, () => enter('many'));
  const other = enter('b');
  expect(counts.turnedAway).toBe(0);
  enter('c');
  expect(counts.turnedAway).toBe(1);
  expect(oldest?.closed).toBe(true);
  expect(other.closed).toBe(false);
  for (let turn = 0; turn < 2; turn++) inside.at(-1)?.destroy();
  expect(inside.at(-1)).toBe(other);
});

test('closing the gate closes what waits, and leaves what is inside', async () => {
  const { clock, gate, inside, enter } = setUp(1);
  const [first, second] = [enter(), enter()];
  gate.close();
  expect([first.closed, second.closed]).toEqual([false, true]);
  expect(clock.pendingTimers).toBe(0);
  first.destroy();
  expect(inside).toEqual([first]);
});

test('more are let in at once while some wait, and fewer once this process is behind', () => {
  let now = 0;
  const looks: (() => void)[] = [];
  const clock: Clock = {
    now: () => now,
    monotonic: () => now,
    setTimer: (_ms, look) => {
      looks.push(look);
      return { cancel: () => {} };
    },
  };
  const inside = new Set<FakeConnection>();
  const options = { clock, atOnce: { fewest: 4, most: 16 }, sourceOf: () => '', turnedAway: () => {} };
  const gate = new Gate<FakeConnection>(options, (connection) => {
    inside.add(connection);
    connection.once('close', () => inside.delete(connection));
  });
  const lookAfter = (ms: number) => {
    now += ms;
    looks.shift()?.();
    return inside.size;
  };
  for (let index = 0; index < 100; index++) gate.enter(new FakeConnection('a'));
  expect(inside.size).toBe(4);
  expect([100, 100, 100, 100, 100, 100, 100].map(lookAfter)).toEqual([5, 7, 9, 12, 15, 16, 16]);
  // Those that are inside stay there, and none comes after them before there are as few.
  expect(lookAfter(300)).toBe(16);
  for (const connection of [...inside].slice(0, 8)) connection.destroy();
  expect(inside.size).toBe(11);
  expect([300, 300].map(lookAfter)).toEqual([11, 11]);
  for (const connection of [...inside]) connection.destroy();
  expect(inside.size).toBe(4);
});
