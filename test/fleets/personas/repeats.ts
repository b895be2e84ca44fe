// Why a node was configured more than once. A node needs a configuration once; another commit needs a cause that logs
// and disk tell: each run that has committed one, but for the one that the node came up with, must have been cut off.

import type { FinishedRun, Told } from './history.js';
import { startOf } from './history.js';
import type { Machine } from './machine.js';
import type { Done } from './storm.js';

/**
 * KILLED: the provisioner was killed in that run. STRUCK: a fault struck one of the calls in which a run is past its
 * point of no return. DISRUPTED: a service was killed or stood still meanwhile. CRASHED: the node does by its nature.
 */
export const causes = ['KILLED', 'STRUCK', 'DISRUPTED', 'CRASHED'] as const;

export type Cause = (typeof causes)[number];

export interface Repeats {
  readonly causes: readonly Cause[];
  /** Commits without a cause; empty where each has one. */
  readonly problems: readonly string[];
}

/** Log lines of two processes are not in the very order in which things happened: milliseconds. */
const leewayMs = 1_000;

/** @returns what made it necessary to configure a machine again */
export function repeatsOf({ name, disk, persona }: Machine, told: Told, done: readonly Done[]): Repeats {
  const committing = disk.runs.filter(({ configurationDigest }) => configurationDigest !== '');
  const before = committing.filter(({ runId }) => runId !== disk.runId);
  const found: Cause[] = [];
  const problems: string[] = [];
  for (const { runId } of before) {
    const cause = causeOf(runId, told, done) ?? (persona.name === 'flapping' ? 'CRASHED' : undefined);
    const run = told.runs.find((each) => each.runId === runId);
    if (cause !== undefined) found.push(cause);
    else
      problems.push(`${name}: run ${runId} has configured it for nothing, and nobody knows why: ${say(run)}`);
  }
  if (disk.configurations > committing.length) {
    problems.push(`${name}: ${disk.configurations} commits of ${committing.length} runs`);
  }
  return { causes: found, problems };
}

function causeOf(runId: string, { runs, strikes }: Told, done: readonly Done[]): Cause | undefined {
  const run = runs.find((each) => each.runId === runId);
  const from = startOf(runId) - leewayMs;
  if (run === undefined) {
    const kills = done.filter(({ kind, service }) => kind === 'KILL' && service === 'provisioner');
    return kills.some(({ to }) => to > from) ? 'KILLED' : undefined;
  }
  if (!wasCutOff(run)) return undefined;
  const to = run.endedAt + leewayMs;
  const struck = strikes.some(({ at, rpc }) => at > from && at < to && decisive.includes(rpc));
  if (struck) return 'STRUCK';
  return done.some((each) => each.kind !== 'PAUSE' && each.from < to && each.to > from)
    ? 'DISRUPTED'
    : undefined;
}

const decisive: readonly string[] = ['configure', 'restart', 'status'];

/** The run itself says that it did not see its node restart. */
function wasCutOff({ message }: FinishedRun): boolean {
  return message.includes('not restarted') || message.includes('the restart is not settled');
}

function say(run: FinishedRun | undefined): string {
  return run === undefined ? 'it did not end' : `${run.outcome} ${run.reason} ${run.message}`;
}
