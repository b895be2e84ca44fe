// Two machines under one name. The one that is configured first keeps the other from its turn while it reports; so
// where both came up, somebody has forgotten the first one or did not reach it, and logs say when.

import type { History, Told } from './history.js';
import { startOf } from './history.js';
import { isClone, type Machine } from './machine.js';
import type { Done } from './storm.js';

/** How long a node says that it came up configured: milliseconds. */
const repeatsMs = 600_000;

/**
 * How old what the provisioner knows of a machine may be when it starts to configure it, while discovery, since, has
 * taken the other one for it: milliseconds.
 */
const oldestSightingMs = 60_000;

export interface Pairs {
  readonly pairs: number;
  /** How many of them have both machines configured in the end, with a cause. */
  readonly both: number;
  /** Pairs of which both are, and nobody knows why. */
  readonly problems: readonly string[];
}

export function pairsOf(machines: readonly Machine[], history: History, done: readonly Done[]): Pairs {
  const clones = machines.filter((machine) => isClone(machine));
  const identities = new Set(clones.map(({ identity }) => identity));
  let both = 0;
  const problems: string[] = [];
  for (const identity of identities) {
    const up = clones.filter((machine) => machine.identity === identity && machine.disk.confirmed);
    const [first, second] = up.map(({ disk }) => disk.runId).sort();
    if (first === undefined || second === undefined) continue;
    both++;
    if (wasForgotten(first, second, history.of(identity), done)) continue;
    problems.push(
      `${identity}: run ${second} has configured another machine while that of ${first} was there`,
    );
  }
  return { pairs: identities.size, both, problems };
}

/** Discovery was killed or stood still, the first machine did, a question to it was struck, or it reported no more. */
function wasForgotten(first: string, second: string, { strikes }: Told, done: readonly Done[]): boolean {
  const [from, to] = [startOf(first) - oldestSightingMs, startOf(second)];
  if (to - startOf(first) > repeatsMs) return true;
  if (strikes.some(({ at, rpc }) => rpc === 'identify' && at > from && at < to)) return true;
  return done.some(
    (each) =>
      (each.service === 'discovery' || each.service === 'mock-node') && each.from < to && each.to > from,
  );
}
