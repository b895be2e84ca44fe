// The day and the time of moments in one zone.

export interface DayAndTime {
  /** `2030-01-02`. */
  readonly day: string;
  /** `14:03:22`. */
  readonly time: string;
}

/** Tells the day and the time of a moment, Unix milliseconds. */
export type Calendar = (moment: number) => DayAndTime;

/**
 * To be kept for all that is shown at a time: to make one takes longer than to ask it.
 *
 * @param timeZone IANA name; undefined for that of the machine
 */
export function calendarOf(timeZone: string | undefined): Calendar {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  });
  return (moment) => {
    const parts = new Map(format.formatToParts(moment).map(({ type, value }) => [type, value]));
    const of = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? '';
    return {
      day: `${of('year')}-${of('month')}-${of('day')}`,
      time: `${of('hour')}:${of('minute')}:${of('second')}`,
    };
  };
}
