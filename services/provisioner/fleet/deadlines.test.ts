import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../../test/fakes/fake-clock.js';
import { Deadlines } from './deadlines.js';

describe('deadlines', () => {
  it('fall due in order, those of one moment in the order of their making', async () => {
    const clock = new FakeClock();
    const deadlines = new Deadlines(clock);
    const due: string[] = [];
    deadlines.after(30, () => due.push('c'));
    deadlines.after(10, () => due.push('a1'));
    deadlines.after(10, () => due.push('a2'));
    deadlines.after(20, () => due.push('b'));
    await clock.advance(20);
    expect(due).toEqual(['a1', 'a2', 'b']);
    await clock.advance(10);
    expect(due).toEqual(['a1', 'a2', 'b', 'c']);
  });

  it('take one timer of the clock, and none when nothing waits', () => {
    const clock = new FakeClock();
    const deadlines = new Deadlines(clock);
    const made = Array.from({ length: 1000 }, (_, at) => deadlines.after(1000 - at, () => {}));
    expect(clock.pendingTimers).toBe(1);
    for (const deadline of made) deadline.cancel();
    expect(clock.pendingTimers).toBe(0);
    expect(deadlines.size).toBe(0);
  });

  it('may be made and cancelled while one falls due', async () => {
    const clock = new FakeClock();
    const deadlines = new Deadlines(clock);
    const due: string[] = [];
    deadlines.after(10, () => {
      due.push('first');
      other.cancel();
      deadlines.after(5, () => due.push('second'));
    });
    const other = deadlines.after(10, () => due.push('never'));
    await clock.advance(100);
    expect(due).toEqual(['first', 'second']);
  });

  it('fall due exactly once and on time, whatever is cancelled', async () => {
    const plans = fc.array(fc.record({ ms: fc.nat({ max: 50 }), cancelled: fc.boolean() }), {
      maxLength: 40,
    });
    await fc.assert(
      fc.asyncProperty(plans, async (plan) => {
        const clock = new FakeClock();
        const deadlines = new Deadlines(clock);
        const due: [number, number][] = [];
        const made = plan.map(({ ms }, at) => deadlines.after(ms, () => due.push([at, clock.monotonic()])));
        plan.forEach(({ cancelled }, at) => {
          if (cancelled) made[at]?.cancel();
        });
        await clock.advance(50);
        const expected = plan
          .map(({ ms, cancelled }, at) => ({ ms, cancelled, at }))
          .filter(({ cancelled }) => !cancelled)
          .sort((one, other) => one.ms - other.ms)
          .map(({ ms, at }) => [at, ms]);
        expect(due).toEqual(expected);
      }),
      { numRuns: 30 },
    );
  });
});
