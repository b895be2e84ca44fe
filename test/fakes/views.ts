// Views that renderings are tested in: noon of the first day of 2030, in UTC, without colours.

import { calendarOf } from '../../cli/text/calendar.js';
import type { View } from '../../cli/text/view.js';

export const noon = Date.UTC(2030, 0, 1, 12, 0, 0);

export const plainView: View = { now: noon, columns: undefined, colour: false, calendar: calendarOf('UTC') };

/** A moment as the wire has it, in seconds from noon. */
export function fromNoon(seconds: number): Date {
  return new Date(noon + seconds * 1000);
}
