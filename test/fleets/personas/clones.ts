// Two machines under one name. The one that has it keeps the other from its turn while it reports and answers; so where
// both came up, the name has gone from one to the other, and logs say how that came about.

import type { History, Told } from './history.js';
import { startOf } from './history.js';
import { isClone, type Machine } from './machine.js';
import type { Done } from './storm.js';

/**
 * FORGOTTEN: discovery or the swarm was killed or stood still, or a question to the first machine was struck.
 * LEFT: the first one reported no more. UNANSWERED: the first one was asked and did not answer in time, and discovery has
 * said that the second one has the name.
 */
export const pairCauses = ['FORGOTTEN', 'LEFT', 'UNANSWERED'] as const;

export type PairCause = (typeof pairCauses)[number];

/** How long a node says that it came up configured: milliseconds. */
const repeatsMs = 600_000;

/**
 * How old what the provisioner knows of a machine may be when it starts to configure it, while discovery, since, has
 * taken the other one for it: milliseconds.
 */
const oldestSightingMs = 60_000;

export interface Pairs {
  readonly pairs: number;
  /** Of each pair of which both machines are configured in the end. */
  readonly causes: readonly PairCause[];
  /** Pairs of which both are, and nobody knows why. */
  readonly problems: readonly string[];
}

export function pairsOf(machines: readonly Machine[], history: History, done: readonly Done[]): Pairs {
  const clones = machines.filter((machine) => isClone(machine));
  const identities = new Set(clones.map(({ identity }) => identity));
  const causes: PairCause[] = [];
  const problems: string[] = [];
  for (const identity of identities) {
    const [first, second] = clones
      .filter((machine) => machine.identity === identity && machine.disk.confirmed)
      .sort((one, other) => startOf(one.disk.runId) - startOf(other.disk.runId));
    if (first === undefined || second === undefined) continue;
    const cause = causeOf(first, second, history.of(identity), done);
    if (cause !== undefined) causes.push(cause);
    else
      problems.push(`${identity}: run ${second.disk.runId} has configured ${second.name}, which had no turn`);
  }
  return { pairs: identities.size, causes, problems };
}

function causeOf(
  first: Machine,
  second: Machine,
  { strikes, moves }: Told,
  done: readonly Done[],
): PairCause | undefined {
  const [began, to] = [startOf(first.disk.runId), startOf(second.disk.runId)];
  const from = began - oldestSightingMs;
  const isBetween = ({ at }: { readonly at: number }) => at > from && at < to;
  const disrupted = done.some(
    ({ service, from: start, to: end }) =>
      (service === 'discovery' || service === 'mock-node') && start < to && end > from,
  );
  if (disrupted || strikes.some((strike) => strike.rpc === 'identify' && isBetween(strike))) {
    return 'FORGOTTEN';
  }
  if (to - began > repeatsMs) return 'LEFT';
  const moved = moves.some((each) => each.address === second.address && isBetween(each));
  return moved ? 'UNANSWERED' : undefined;
}
