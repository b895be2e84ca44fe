// How the runs of provisioners ended, by their logs: of all nodes, and of the one that had most.

import { linesOf } from '../../e2e/strangers/log.js';

export interface RunCounts {
  /** By outcome; of failed ones also the reason, of superseded ones also why. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** The most runs that one node had, in all these logs together. */
  readonly mostOfOneNode: number;
}

export function countRuns(...logFiles: readonly string[]): RunCounts {
  const outcomes: Record<string, number> = {};
  const runs = new Map<unknown, number>();
  for (const { msg, identity, outcome, reason, message } of logFiles.flatMap(linesOf)) {
    if (!msg.startsWith('run finished')) continue;
    const detail = outcome === 'FAILED' ? `: ${reason}` : outcome === 'SUPERSEDED' ? `: ${message}` : '';
    const key = `${outcome}${detail}`;
    outcomes[key] = (outcomes[key] ?? 0) + 1;
    runs.set(identity, (runs.get(identity) ?? 0) + 1);
  }
  return { outcomes, mostOfOneNode: Math.max(0, ...runs.values()) };
}
