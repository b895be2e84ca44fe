// The demo: discovery, provisioner and a swarm of nodes on loopback, until every node is confirmed.

import { setTimeout as wait } from 'node:timers/promises';
import { projectRoot } from '../launch/project.js';
import { Stack } from '../launch/stack.js';
import type { DemoOptions } from './options.js';
import { type Progress, ProgressDisplay, readProgress } from './progress.js';

export interface DemoResult {
  readonly confirmed: number;
  readonly failedRuns: number;
  readonly seconds: number;
}

/** The fleet counts as stuck when nothing has changed for so long. */
const stuckAfterMs = 60_000;
const lookEveryMs = 200;

/** @returns a stack with the example helper, ready to start in `directory` */
export function prepareDemo(options: DemoOptions, directory: string): Promise<Stack> {
  return Stack.prepare({
    directory,
    nodes: options.nodes,
    helper: `sh ${projectRoot()}/examples/helpers/minimal.sh`,
    discovery: { max_reports_per_second: Math.max(500, options.nodes) },
  });
}

/**
 * Starts everything and follows it until all nodes are confirmed, nothing moves any more, or the signal
 * is aborted.
 *
 * @throws Error where a service does not start or ends by itself
 */
export async function runDemo(
  stack: Stack,
  nodes: number,
  out: NodeJS.WriteStream,
  signal: AbortSignal,
): Promise<DemoResult> {
  await stack.startAll();
  const display = new ProgressDisplay(out);
  const start = performance.now();
  let lastChange = start;
  let progress: Progress = { queued: 0, running: 0, confirmed: 0, failedRuns: 0 };
  while (progress.confirmed < nodes && performance.now() - lastChange < stuckAfterMs && !signal.aborted) {
    const samples = await stack.metrics('provisioner');
    if (samples !== undefined) {
      const now = readProgress(samples);
      if (JSON.stringify(now) !== JSON.stringify(progress)) lastChange = performance.now();
      progress = now;
    }
    display.show(progress, nodes, (performance.now() - start) / 1000);
    await wait(lookEveryMs);
  }
  display.end();
  return { ...progress, seconds: (performance.now() - start) / 1000 };
}
