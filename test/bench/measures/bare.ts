// Bare alone: the limit of which the others are a ratio.

import type { BenchOptions } from '../options.js';
import { runBare } from '../sides/bare/bare.js';
import type { SideFigures } from '../sides/side.js';
import { median } from '../statistics.js';

export interface BareMeasure {
  /** To the last restart accepted: the median. */
  readonly nodesPerMinute: number;
  readonly rounds: readonly { readonly bare: SideFigures }[];
}

export async function measureBare(
  { fleet, rounds, keep }: BenchOptions,
  folder: () => string,
  say: (text: string) => void,
): Promise<BareMeasure> {
  const done: { readonly bare: SideFigures }[] = [];
  for (let round = 1; round <= rounds; round++) {
    const bare = await runBare(folder(), fleet, keep);
    done.push({ bare });
    say(`round ${round} of ${rounds}: ${bare.nodesPerSecond.restarted} nodes/s`);
  }
  return {
    nodesPerMinute: Math.round(60 * median(done.map(({ bare }) => bare.nodesPerSecond.restarted))),
    rounds: done,
  };
}
