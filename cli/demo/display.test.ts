import { describe, expect, test } from 'vitest';
import { ProgressDisplay, progressLine } from './display.js';
import { nothingYet } from './progress.js';

const some = { ...nothingYet, queued: 7, running: 3, restarting: 2, confirmed: 15 };

function screenOf(isTTY: boolean, columns = 200) {
  const screen = {
    isTTY,
    columns,
    text: '',
    write: (text: string) => {
      screen.text += text;
    },
  };
  return screen;
}

describe('a line of progress', () => {
  test('names every count and the rate', () => {
    expect(progressLine(some, 25, 5)).toBe(
      '  5.0 s  15/25 confirmed (3.0/s)  7 queued  3 running  2 restarting  0 failed',
    );
  });

  test('names what most failed of, and what else became of nodes', () => {
    const reasons = new Map([
      ['UNREACHABLE', 1],
      ['HELPER_EXIT', 4],
    ]);
    const line = progressLine({ ...some, failedRuns: 5, reasons, deferredRuns: 2, shutDown: 1 }, 25, 5);
    expect(line).toContain('5 failed (HELPER_EXIT, …)  2 deferred  1 shut down');
  });
});

describe('on a terminal', () => {
  test('one line is written over, and left at the end', () => {
    const screen = screenOf(true);
    const display = new ProgressDisplay(screen, 25);
    display.show(nothingYet, 0);
    display.show(some, 100);
    display.show(some, 200, true);
    expect(screen.text.split('\r')).toHaveLength(4);
    expect(screen.text.split('\n')).toHaveLength(2);
    expect(screen.text.endsWith('\n')).toBe(true);
  });

  test('a line that would wrap is cut', () => {
    const screen = screenOf(true, 40);
    new ProgressDisplay(screen, 25).show(some, 100);
    expect(screen.text).toHaveLength('\r'.length + 39 + '\u001b[K'.length);
  });
});

describe('elsewhere', () => {
  test('a line a second is written, where anything changed', () => {
    const screen = screenOf(false);
    const display = new ProgressDisplay(screen, 25);
    display.show(nothingYet, 0);
    display.show(some, 500);
    display.show(some, 1_000);
    display.show(some, 5_000);
    display.show({ ...some, confirmed: 16 }, 5_200);
    display.show({ ...some, confirmed: 17 }, 5_400);
    display.show({ ...some, confirmed: 25 }, 5_600, true);
    expect(screen.text.match(/\d+\/25/g)).toEqual(['0/25', '15/25', '16/25', '25/25']);
  });
});
