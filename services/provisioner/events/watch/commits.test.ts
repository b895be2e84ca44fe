import { expect, test } from 'vitest';
import { FakeClock, settle } from '../../../../test/fakes/fake-clock.js';
import { FakeEventLog, plain } from '../../../../test/fakes/fake-event-log.js';
import { Commits, paceMs } from './commits.js';

const never = new AbortController().signal;

function setUp() {
  const log = new FakeEventLog();
  const clock = new FakeClock();
  const commits = new Commits(log, clock);
  const woken: number[] = [];
  const wait = async () => {
    await commits.next(60_000, never);
    woken.push(clock.monotonic());
  };
  return { log, clock, commits, woken, wait };
}

test('whoever waits is woken at once by the first commit after a quiet time', async () => {
  const { log, woken, wait } = setUp();
  void wait();
  void wait();
  log.append(plain(1));
  await settle();
  expect(woken).toEqual([0, 0]);
});

test('while commit follows commit, they are woken for several together', async () => {
  const { log, clock, woken, wait } = setUp();
  const following = async () => {
    for (;;) await wait();
  };
  void following();
  for (let ms = 0; ms < 10 * paceMs; ms += 5) {
    log.append(plain(1));
    await clock.advance(5);
  }
  const spans = woken.slice(1).map((at, index) => at - (woken[index] ?? 0));
  expect(woken.length).toBeGreaterThanOrEqual(9);
  expect(Math.min(...spans)).toBeGreaterThanOrEqual(paceMs);
});

test('without a commit they are woken when their time is over', async () => {
  const { clock, woken, wait } = setUp();
  void wait();
  await clock.advance(59_999);
  expect(woken).toEqual([]);
  await clock.advance(1);
  expect(woken).toEqual([60_000]);
  expect(clock.pendingTimers).toBe(0);
});
