import { expect, test } from 'vitest';
import { FakeClock } from '../../fakes/fake-clock.js';
import { arrivals } from './arrivals.js';

const plan = { spanMs: 10, racks: 3, rebootAfterMs: 20, leaveAfterMs: 40 };

function diary(clock: FakeClock) {
  const lines: string[] = [];
  const note = (what: string, number: number) => {
    lines.push(`${clock.monotonic()} ${what} ${number}`);
  };
  const open = (number: number) => ({
    come: async () => note('come', number),
    reboot: async () => note('reboot', number),
    leave: async () => note('leave', number),
  });
  return { lines, open };
}

test('racks come one after the other, reboot and leave', async () => {
  const clock = new FakeClock();
  const { lines, open } = diary(clock);
  const all = arrivals(plan, open, clock, new AbortController().signal);
  await clock.advance(60);
  await all;
  expect(lines).toEqual([
    ...['0 come 1', '10 come 2'],
    ...['20 come 3', '20 reboot 1', '30 reboot 2', '40 reboot 3'],
    ...['40 leave 1', '50 leave 2', '60 leave 3'],
  ]);
});

test('when it is over, those that are there leave, and no more come', async () => {
  const clock = new FakeClock();
  const { lines, open } = diary(clock);
  const over = new AbortController();
  const all = arrivals(plan, open, clock, over.signal);
  const ended = expect(all).rejects.toThrow('enough');
  await clock.advance(15);
  over.abort(new Error('enough'));
  await ended;
  await clock.advance(100);
  expect(lines).toEqual(['0 come 1', '10 come 2', '15 leave 1', '15 leave 2']);
});

test('a rack that fails is told, and leaves all the same', async () => {
  const clock = new FakeClock();
  const { lines, open } = diary(clock);
  const failing = (number: number) => ({
    ...open(number),
    reboot: async () => {
      throw new Error(`rack ${number} has ended`);
    },
  });
  const all = expect(arrivals(plan, failing, clock, new AbortController().signal)).rejects.toThrow('rack 1');
  await clock.advance(20);
  await all;
  expect(lines).toContain('20 leave 1');
});
