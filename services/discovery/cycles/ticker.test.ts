import { expect, test } from 'vitest';
import { FakeClock } from '../../../test/fakes/fake-clock.js';
import { Ticker } from './ticker.js';

/** A clock whose timers all come late, as those of a busy process do. */
class LateClock extends FakeClock {
  lateMs = 0;

  override setTimer(ms: number, callback: () => void) {
    return super.setTimer(ms + this.lateMs, callback);
  }
}

test('beats do not drift, though each comes late', async () => {
  const clock = new LateClock();
  clock.lateMs = 30;
  let beats = 0;
  const ticker = new Ticker(clock, 100, 10, () => beats++);
  ticker.start();
  await clock.advance(10_030);
  expect(beats).toBe(100);
});

test('beats that were missed are made up for, up to a bound', async () => {
  const clock = new LateClock();
  clock.lateMs = 4950;
  let beats = 0;
  const ticker = new Ticker(clock, 100, 10, () => beats++);
  ticker.start();
  clock.lateMs = 0;
  await clock.advance(5050);
  expect(beats).toBe(10);
  await clock.advance(100);
  expect(beats).toBe(11);
  ticker.stop();
  expect(clock.pendingTimers).toBe(0);
});
