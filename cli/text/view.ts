// How results are to be shown: when they are read, on what, and in which zone. Everything that renders takes it as an
// argument, and nothing else from outside.

import type { Terminal } from '../terminal.js';
import { type Calendar, calendarOf } from './calendar.js';

export interface View {
  /** Unix milliseconds. */
  readonly now: number;
  /** Characters in a line; undefined where a program, or a file, takes it. */
  readonly columns: number | undefined;
  readonly colour: boolean;
  readonly calendar: Calendar;
}

/** Colours are for terminals, and for those who have not declined them (NO_COLOR, TERM=dumb). */
export function viewOf(terminal: Terminal): View {
  const { columns, env, timeZone } = terminal;
  const declined = (env.NO_COLOR ?? '') !== '' || env.TERM === 'dumb';
  const colour = columns !== undefined && !declined;
  return { now: terminal.now().getTime(), columns, colour, calendar: calendarOf(timeZone) };
}
