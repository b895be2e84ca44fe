// The verdict on each figure of a run, and how it is told.

import { rounded } from '../../bench/statistics.js';
import type { Sample } from '../samples/sample.js';
import { type Finding, judge } from './flatness.js';
import type { Rule } from './rules.js';

export interface Judged extends Finding {
  readonly rule: Rule;
}

/** @param durationMs of the run, as far as it came */
export function verdictsOf(samples: readonly Sample[], durationMs: number, rules: readonly Rule[]): Judged[] {
  return rules.map((rule) => {
    const readings = samples.flatMap(({ atMs, figures: { [rule.figure]: value } }) =>
      value === undefined || Number.isNaN(value) ? [] : [{ atMs, value }],
    );
    return { rule, ...judge(readings, durationMs, rule) };
  });
}

/** @returns whether each figure is known to be flat */
export function isFlat(judged: readonly Judged[]): boolean {
  return judged.every(({ verdict }) => verdict === 'FLAT');
}

/** @returns a line for each figure: medians of two quarters, what the last may come to, and the verdict */
export function tableOf(judged: readonly Judged[]): string {
  const rows = [
    ['', '2nd quarter', 'last quarter', 'tolerated', 'verdict'],
    ...judged.map(({ rule: { figure, worse }, second, last, bound, verdict }) => [
      figure,
      shown(second),
      shown(last),
      `${worse === 'RISES' ? '<=' : '>='} ${shown(bound)}`,
      verdict,
    ]),
  ];
  const width = (at: number) => Math.max(...rows.map((row) => row[at]?.length ?? 0));
  return rows
    .map((row) => row.map((cell, at) => (at === 0 ? cell.padEnd(width(at)) : cell.padStart(width(at)))))
    .map((cells) => `${cells.join('  ')}\n`)
    .join('');
}

function shown(value: number): string {
  return Number.isNaN(value) ? '-' : String(rounded(value));
}
