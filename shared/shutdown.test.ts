import { expect, test } from 'vitest';
import { FakeClock } from '../test/fakes/fake-clock.js';
import { sleep } from './clock.js';
import { silentLogger } from './logger.js';
import { Phases } from './shutdown.js';

const log = silentLogger();

test('phases run one after the other, each with the time that is left', async () => {
  const clock = new FakeClock();
  const seen: [string, number][] = [];
  const phases = new Phases(clock)
    .add('watches', async (leftMs) => {
      seen.push(['watches', leftMs]);
      await sleep(clock, 3000);
    })
    .add('runs', (leftMs) => {
      seen.push(['runs', leftMs]);
    });
  const done = phases.run(20_000, log);
  await clock.advance(3000);
  expect(await done).toEqual([]);
  expect(seen).toEqual([
    ['watches', 20_000],
    ['runs', 17_000],
  ]);
  expect(clock.pendingTimers).toBe(0);
});

test('a phase that fails does not keep the next from running', async () => {
  const ran: string[] = [];
  const failed = await new Phases(new FakeClock())
    .add('rejects', () => Promise.reject(new Error('disk is full')))
    .add('throws', () => {
      throw new Error('bug');
    })
    .add('flush', () => {
      ran.push('flush');
    })
    .run(1000, log);
  expect(failed).toEqual(['rejects', 'throws']);
  expect(ran).toEqual(['flush']);
});

test('a phase that takes too long is left, and the next still has half a second', async () => {
  const clock = new FakeClock();
  let left = 0;
  const done = new Phases(clock)
    .add('streams', () => new Promise<void>(() => {}))
    .add('flush', (leftMs) => {
      left = leftMs;
    })
    .run(1000, log);
  await clock.advance(1000);
  expect(await done).toEqual(['streams']);
  expect(left).toBe(500);
});

test('a second call joins the first', async () => {
  let times = 0;
  const phases = new Phases(new FakeClock()).add('once', () => {
    times++;
  });
  await Promise.all([phases.run(1000, log), phases.run(1000, log)]);
  expect(times).toBe(1);
});
