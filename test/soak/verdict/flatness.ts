// The rule by which a figure is flat: the median of the last quarter of a run is not worse than that of the second
// quarter, but for a stated tolerance. The first quarter is there to fill up what fills up.

import { median } from '../../bench/statistics.js';

export interface Reading {
  /** From the beginning of the run. */
  readonly atMs: number;
  readonly value: number;
}

export interface Tolerance {
  /** What would be worse. */
  readonly worse: 'RISES' | 'FALLS';
  /** Of the median of the second quarter. */
  readonly share: number;
  /** On top, in the figure's own unit: what a small figure varies by. */
  readonly plus: number;
}

/** UNKNOWN: there are not readings enough in one of the two quarters. */
export type Verdict = 'FLAT' | 'RISES' | 'FALLS' | 'UNKNOWN';

export interface Finding {
  /** Medians. */
  readonly second: number;
  readonly last: number;
  /** What the last one may come to. */
  readonly bound: number;
  readonly verdict: Verdict;
}

/** Of a quarter: the median of fewer is chance. */
export const fewestReadings = 5;

/** @param durationMs of the run, as far as it came */
export function judge(
  readings: readonly Reading[],
  durationMs: number,
  { worse, share, plus }: Tolerance,
): Finding {
  const quarter = (number: number) =>
    readings
      .filter(({ atMs }) => Math.min(3, Math.floor((4 * atMs) / durationMs)) === number)
      .map(({ value }) => value);
  const [ofSecond, ofLast] = [quarter(1), quarter(3)];
  const [second, last] = [median(ofSecond), median(ofLast)];
  const room = share * Math.abs(second) + plus;
  const bound = worse === 'RISES' ? second + room : second - room;
  const isWorse = worse === 'RISES' ? last > bound : last < bound;
  const isKnown = Math.min(ofSecond.length, ofLast.length) >= fewestReadings;
  return { second, last, bound, verdict: !isKnown ? 'UNKNOWN' : isWorse ? worse : 'FLAT' };
}
