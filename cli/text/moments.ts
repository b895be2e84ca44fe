// Moments and spans for people: how far away, and when by the clock on their wall.

import { fromDuration } from '../../shared/wire/time.js';
import type { View } from './view.js';

type Span = Parameters<typeof fromDuration>[0];

const units = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
] as const;

/** A span in its two largest units: `4 min 12 s`, `3 d 2 h`; under ten seconds `1.2 s`, under one `850 ms`. */
export function span(ms: number): string {
  if (ms < 0) return `-${span(-ms)}`;
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${Number((Math.floor(ms / 100) / 10).toFixed(1))} s`;
  const first = units.findIndex(([unit]) => ms >= unit);
  let left = ms;
  const parts = units.slice(first, first + 2).map(([unit, name]) => {
    const amount = Math.floor(left / unit);
    left -= amount * unit;
    return amount === 0 ? '' : `${amount} ${name}`;
  });
  return parts.filter((part) => part !== '').join(' ');
}

/** A span as it is on the wire; empty where it is not set. */
export function wireSpan(duration: Span): string {
  return duration === undefined ? '' : span(fromDuration(duration));
}

/** The time of day, with the date where that is another day than today: `14:03:22`, `2030-01-02 14:03:22`. */
export function clock(date: Date, view: View, withMs = false): string {
  const { day, time } = view.calendar(date.getTime());
  const ms = withMs ? `.${String(date.getUTCMilliseconds()).padStart(3, '0')}` : '';
  return day === view.calendar(view.now).day ? time + ms : `${day} ${time}${ms}`;
}

/** Both ways: `4 min 3 s ago, at 13:55:07`, or `in 4 min 12 s, at 14:03:22`; empty where it is not set. */
export function moment(date: Date | undefined, view: View): string {
  if (date === undefined) return '';
  const away = date.getTime() - view.now;
  const at = clock(date, view);
  if (Math.abs(away) < 1_000) return `now, at ${at}`;
  return away < 0 ? `${span(-away)} ago, at ${at}` : `in ${span(away)}, at ${at}`;
}

/** How long it has been so: `for 4 min 3 s, since 13:55:07`; empty where it is not set. */
export function since(date: Date | undefined, view: View): string {
  if (date === undefined) return '';
  return `for ${span(Math.max(view.now - date.getTime(), 0))}, since ${clock(date, view)}`;
}

/** How long a moment is away, whichever side: for columns. */
export function distance(date: Date | undefined, view: View): string {
  return date === undefined ? '' : span(Math.abs(date.getTime() - view.now));
}
