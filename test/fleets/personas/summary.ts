// What the long run prints at its end.

import { type Pairs, pairCauses } from './clones.js';
import type { Memory } from './footprint-watch.js';
import type { History } from './history.js';
import { causes, type Repeats } from './repeats.js';
import type { Done } from './storm.js';
import { format, type Table } from './verdict.js';

export interface Findings {
  readonly table: Table;
  readonly history: History;
  /** Of each machine that settled. */
  readonly repeats: readonly Repeats[];
  readonly pairs: Pairs;
  readonly done: readonly Done[];
  readonly memory: readonly Memory[];
  /** How often other faults were ordered. */
  readonly weathers: number;
}

export function summaryOf({ table, history, repeats, pairs, done, memory, weathers }: Findings): string {
  const all = repeats.flatMap((each) => each.causes);
  const told = [...history.identities].map((identity) => history.of(identity));
  const strikes = told.flatMap((each) => each.strikes);
  const runs = told.flatMap((each) => each.runs);
  return [
    '',
    format(table),
    `disruptions: ${listOf(done.map((each) => [each.kind, each.service].join(' ').trim().toLowerCase()))}`,
    `faults: ${strikes.length} struck in ${weathers} weathers: ${listOf(strikes.map(({ fault }) => fault))}`,
    `runs: ${listOf(runs.map(({ outcome, reason }) => `${outcome} ${reason}`.trim()))}`,
    `configured again: ${all.length} times (${countsOf(causes, all)})`,
    `clones: ${pairs.pairs} pairs, of ${pairs.causes.length} both machines came up (${countsOf(pairCauses, pairs.causes)})`,
    ...memory.map(
      ({ service, pid, first, peak, last, leastHeap }) =>
        `memory of ${service} ${pid}: ${mib(first)} at first, ${mib(peak)} at most, ${mib(last)} at last` +
        (leastHeap === undefined ? '' : `, least heap ${mib(leastHeap)}`),
    ),
    '',
  ].join('\n');
}

function mib(value: number): string {
  return `${Math.round(value)} MiB`;
}

/** @returns each of them once, with how often it is there, the most frequent first */
function listOf(texts: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts]
    .sort((one, other) => other[1] - one[1])
    .map(([text, count]) => `${count} ${text}`)
    .join(', ');
}

function countsOf(known: readonly string[], found: readonly string[]): string {
  return known.map((each) => `${found.filter((one) => one === each).length} ${each}`).join(', ');
}
