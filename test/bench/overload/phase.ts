// What happened in one part of an overload, in figures.

import type { Cost } from '../measure/processes.js';
import type { Seen } from '../programs/probes.js';
import { rounded } from '../statistics.js';
import type { Tally } from './report-tally.js';

/** How finely what happened over time is told: seconds. */
const stepSeconds = 5;

/** What happened over time, a number for each {@link stepSeconds}. */
export interface Course {
  readonly begun: readonly number[];
  readonly taken: readonly number[];
  readonly failed: readonly number[];
}

export interface Phase {
  /** Until all nodes were known, or until the patience was over. */
  readonly seconds: number;
  readonly known: number;
  /** Nodes that had a report taken since it began. */
  readonly heard: number;
  readonly expired: number;
  readonly synced: boolean;
  readonly reports: {
    readonly begun: number;
    readonly taken: number;
    readonly failed: Readonly<Record<string, number>>;
    /** Of them all in one step of the course: the most, and the {@link Peaks}. */
    readonly perSecondMost: number;
    readonly perSecondFirst: number;
    readonly perSecondAgain: number;
    readonly mostUnderWay: number;
  };
  readonly discovery: { readonly cores: number; readonly peakMiB: number; readonly lagMs: number };
  /** How late the processes were that play the nodes. */
  readonly fleetLagMs: number;
  readonly probes: Seen['times'];
}

export interface Observed {
  readonly seconds: number;
  readonly known: number;
  readonly heard: number;
  readonly tallies: readonly Tally[];
  readonly seen: Seen;
  readonly cost: Cost;
}

export function phaseOf(observed: Observed): Phase {
  const { seconds, known, heard, tallies, seen, cost } = observed;
  const steps = courseOf(tallies).begun.map((count) => count / stepSeconds);
  const peaks = peaksOf(steps);
  return {
    seconds: rounded(seconds),
    known,
    heard,
    expired: seen.watched.expired,
    synced: seen.watched.synced,
    reports: {
      begun: sumOf(tallies, ({ begun }) => begun),
      taken: sumOf(tallies, ({ taken }) => taken),
      failed: failedOf(tallies),
      perSecondMost: Math.round(Math.max(0, ...steps)),
      perSecondFirst: Math.round(peaks.first),
      perSecondAgain: Math.round(peaks.again),
      mostUnderWay: Math.max(0, ...bySecond(tallies, ({ mostUnderWay }) => mostUnderWay)),
    },
    discovery: {
      cores: rounded(cost.cpuMs / 1000 / seconds),
      peakMiB: rounded(cost.peakMiB),
      lagMs: seen.loopLagMs,
    },
    fleetLagMs: Math.max(0, ...tallies.map(({ lagMs }) => lagMs)),
    probes: seen.times,
  };
}

export function courseOf(tallies: readonly Tally[]): Course {
  const steps = (of: (tally: Tally) => number) => {
    const seconds = bySecond(tallies, of);
    return Array.from({ length: Math.ceil(seconds.length / stepSeconds) }, (_, step) =>
      seconds.slice(step * stepSeconds, (step + 1) * stepSeconds).reduce((sum, count) => sum + count, 0),
    );
  };
  return {
    begun: steps(({ begun }) => begun),
    taken: steps(({ taken }) => taken),
    failed: steps(({ failed }) => Object.values(failed).reduce((sum, count) => sum + count, 0)),
  };
}

/** The most until it was half of that for the first time, and the most from then on: a storm that comes again. */
export interface Peaks {
  readonly first: number;
  readonly again: number;
}

export function peaksOf(steps: readonly number[]): Peaks {
  let first = 0;
  const calm = steps.findIndex((step) => {
    first = Math.max(first, step);
    return step < first && step <= first / 2;
  });
  return { first, again: calm === -1 ? 0 : Math.max(...steps.slice(calm)) };
}

/** Of all processes together, a number for each second from the first on. */
function bySecond(tallies: readonly Tally[], of: (tally: Tally) => number): number[] {
  const first = Math.min(...tallies.map(({ at }) => at));
  const seconds: number[] = [];
  for (const tally of tallies) {
    const second = Math.floor((tally.at - first) / 1000);
    seconds[second] = (seconds[second] ?? 0) + of(tally);
  }
  return Array.from(seconds, (count) => count ?? 0);
}

function sumOf(tallies: readonly Tally[], of: (tally: Tally) => number): number {
  return tallies.reduce((sum, tally) => sum + of(tally), 0);
}

function failedOf(tallies: readonly Tally[]): Record<string, number> {
  const failed: Record<string, number> = {};
  for (const tally of tallies) {
    for (const [why, count] of Object.entries(tally.failed)) failed[why] = (failed[why] ?? 0) + count;
  }
  return failed;
}
