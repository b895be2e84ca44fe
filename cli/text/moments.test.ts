import { describe, expect, test } from 'vitest';
import { fromNoon, plainView } from '../../test/fakes/views.js';
import { calendarOf } from './calendar.js';
import { clock, distance, moment, since, span } from './moments.js';

describe('spans', () => {
  test.each([
    [0, '0 ms'],
    [850, '850 ms'],
    [1_250, '1.2 s'],
    [9_999, '9.9 s'],
    [12_900, '12 s'],
    [252_000, '4 min 12 s'],
    [240_000, '4 min'],
    [7_509_000, '2 h 5 min'],
    [266_400_000, '3 d 2 h'],
    [-5_000, '-5 s'],
  ])('%d ms is %s', (ms, said) => {
    expect(span(ms)).toBe(said);
  });
});

describe('moments', () => {
  test('are told from now and by the clock', () => {
    expect(moment(fromNoon(252), plainView)).toBe('in 4 min 12 s, at 12:04:12');
    expect(moment(fromNoon(-243), plainView)).toBe('4 min 3 s ago, at 11:55:57');
    expect(moment(fromNoon(0.5), plainView)).toBe('now, at 12:00:00');
    expect(since(fromNoon(-60), plainView)).toBe('for 1 min, since 11:59:00');
    expect(distance(fromNoon(-60), plainView)).toBe('1 min');
  });

  test('of another day have the date', () => {
    expect(clock(fromNoon(86_400), plainView)).toBe('2030-01-02 12:00:00');
    expect(clock(fromNoon(0.25), plainView, true)).toBe('12:00:00.250');
  });

  test('are of the zone of whoever reads', () => {
    const view = { ...plainView, calendar: calendarOf('Asia/Kolkata') };
    expect(clock(fromNoon(0), view)).toBe('17:30:00');
    expect(clock(fromNoon(-43_200), view)).toBe('05:30:00');
  });

  test('that are not set are nothing', () => {
    expect([
      moment(undefined, plainView),
      since(undefined, plainView),
      distance(undefined, plainView),
    ]).toEqual(['', '', '']);
  });
});
