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
  for (let ms = 0; ms < 1_000; ms += 5) {
    log.append(plain(1));
    await clock.advance(5);
  }
  const spans = woken.slice(1).map((at, index) => at - (woken[index] ?? 0));
  expect(woken.length).toBeGreaterThanOrEqual(9);
  expect(Math.min(...spans)).toBeGreaterThanOrEqual(100);
});

test('the more of them there are, the longer is gathered for them, but never for more than half a second', () => {
  expect([1, 10, 40, 100, 200, 1_000].map(paceMs)).toEqual([100, 100, 100, 250, 500, 500]);
});

test('many are woken less often', async () => {
  const { log, clock, commits } = setUp();
  let woken = 0;
  const following = async () => {
    const { signal } = new AbortController();
    for (;;) {
      await commits.next(60_000, signal);
      woken += 1;
    }
  };
  for (let waiting = 0; waiting < 100; waiting += 1) void following();
  for (let ms = 0; ms < 900; ms += 5) {
    log.append(plain(1));
    await clock.advance(5);
  }
  expect(woken).toBe(100 * 4);
});

test('whoever waits hears of its end, and nothing of it stays', async () => {
  const { clock, commits } = setUp();
  const end = new AbortController();
  const waiting = commits.next(60_000, end.signal);
  end.abort(new Error('gone'));
  await expect(waiting).rejects.toThrow('gone');
  await expect(commits.next(60_000, end.signal)).rejects.toThrow('gone');
  expect(clock.pendingTimers).toBe(0);
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
