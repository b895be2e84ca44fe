// What became of the nodes of a scene: the cell that each met with, and whatever contradicts itself, by the logs, the disks
// and the metrics.

import { until } from '../../../cli/launch/until.js';
import type { NodeOnDisk } from '../../../services/mock-node/state/read-node-state.js';
import { credentialsOf } from '../../e2e/credentials-on-disk.js';
import { mixedStamps } from '../../e2e/nodes-on-disk.js';
import { processesWith } from '../../e2e/processes.js';
import type { Cell, FaultStep } from '../table.js';
import { newRelease, patienceMs, type Scene } from './scene.js';
import type { NodeStory } from './story.js';

export interface Ending {
  readonly step: FaultStep;
  readonly met: Cell;
  /** What is wrong with the node; empty where nothing is. */
  readonly problems: readonly string[];
  /** All that was said of it, for people. */
  readonly told: string;
}

/** @returns the ending of each node, of a scene that is over */
export async function endingsOf(scene: Scene): Promise<Ending[]> {
  return await Promise.all(scene.steps.map((step) => endingOf(scene, step)));
}

/** @returns what the services count otherwise than they say, and what is left behind; empty where nothing is */
export async function remainsOf(scene: Scene): Promise<string[]> {
  const counted = await scene.stack.metrics('provisioner');
  const metric = (name: string) => `slipway_provisioner_${name}`;
  const { runs, confirmed } = scene.presentLife();
  const sums: [string, number | undefined, number][] = [
    ['runs', counted?.sum(metric('runs_total')), runs],
    ['confirmed nodes', counted?.sum(metric('confirmed_total')), confirmed],
    ['busy workers', counted?.sum(metric('busy_workers')), 0],
    ['hosts that are run', counted?.sum(metric('hosts'), { state: 'running' }), 0],
  ];
  return [
    ...sums.flatMap(([what, count, expected]) =>
      count === expected ? [] : [`${what}: ${count} counted, ${expected} told`],
    ),
    ...(await helpersLeft(scene)),
  ];
}

async function endingOf(scene: Scene, step: FaultStep): Promise<Ending> {
  const story = scene.story(step);
  const disk = await scene.state(step);
  return {
    step,
    met: {
      first: story.runs[0] ?? 'LOST',
      end: story.confirmed.length > 0 ? 'CONFIRMED' : 'SHUT_DOWN',
      runs: story.runs.length,
      commits: disk.configurations,
    },
    problems: [
      ...(story.struck.length === scene.strikesPerNode ? [] : [`faults struck it: ${story.struck.join()}`]),
      ...diskProblems(step, disk, story),
      ...(await partsThatDiffer(scene, step, disk)),
    ],
    told: story.told,
  };
}

function diskProblems(step: FaultStep, disk: NodeOnDisk, { confirmed }: NodeStory): string[] {
  const isUp = step === 'SHUTDOWN' ? disk.status === 'NONE' : disk.confirmed;
  const [runId = '', ...others] = confirmed;
  const release = step === 'UPDATE_RELEASE' ? newRelease : undefined;
  return [
    ...disk.problems,
    ...(isUp ? [] : [`it is ${disk.status}, ${disk.stage}`]),
    ...(disk.runId === runId ? [] : [`run ${runId} is confirmed, and what it has is of ${disk.runId}`]),
    ...others.map((other) => `run ${other} is confirmed, too`),
    ...(disk.release === release ? [] : [`its release is ${disk.release}`]),
  ];
}

/** Key and token, and the parts of the configuration; those of a certificate the node's state tells. */
async function partsThatDiffer({ stack }: Scene, step: FaultStep, disk: NodeOnDisk): Promise<string[]> {
  if (step === 'SHUTDOWN' || step === 'GENERATE_CSR') return [];
  const { identity } = disk;
  const mixed = await mixedStamps(stack, new Map([[identity, disk]]));
  const credentials = credentialsOf(stack).find((each) => each.identity === identity);
  return [
    ...mixed.map(() => 'its configuration is of several pieces'),
    ...(credentials?.problem === '' ? [] : [credentials?.problem ?? 'it has no folder']),
  ];
}

/** Helpers of a provisioner that was killed are killed soon after it. */
async function helpersLeft({ helperMarker }: Scene): Promise<string[]> {
  const left = () => processesWith(helperMarker).map(({ command }) => `still runs: ${command}`);
  await until(() => left().length === 0, { what: 'no helper', timeoutMs: patienceMs }).catch(() => {});
  return left();
}
