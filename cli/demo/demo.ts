// The demo: discovery, provisioner and a swarm of nodes on loopback, until every node is confirmed.

import { setTimeout as wait } from 'node:timers/promises';
import { projectRoot } from '../launch/project.js';
import { quoteWord } from '../launch/quote.js';
import { ServiceEndedError } from '../launch/service-process.js';
import { Stack } from '../launch/stack.js';
import { ProgressDisplay, type Screen } from './display.js';
import type { DemoOptions } from './options.js';
import { Course, nothingYet, readProgress } from './progress.js';
import type { DemoResult } from './summary.js';

/** Nothing comes any more when nothing has changed for so long: milliseconds. */
const stuckAfterMs = 60_000;
const lookEveryMs = 200;

/** @returns a stack with the helper, ready to start in `directory` */
export function prepareDemo({ nodes, helper, insecure }: DemoOptions, directory: string): Promise<Stack> {
  // Nodes that failed have their next turn soon, and sightings of a large fleet do not crowd out its runs.
  const interval = `${Math.max(5, Math.ceil(nodes / 100))}s`;
  return Stack.prepare({
    directory,
    nodes,
    tls: insecure ? 'insecure' : 'required',
    helper: helper ?? `sh ${quoteWord(`${projectRoot()}/examples/helpers/minimal.sh`)}`,
    discovery: { interval, max_reports_per_second: Math.max(500, nodes) },
    // Nobody mends a demo's helper: its failures are told, and do not have the fleet wait.
    provisioner: { interval, helper_breaker: 1_000_000 },
  });
}

/**
 * Follows a stack that was started until all nodes are confirmed, nothing moves any more, or the signal is
 * aborted.
 *
 * @throws ServiceEndedError where a service ends by itself
 */
export async function followDemo(
  stack: Stack,
  nodes: number,
  screen: Screen,
  signal: AbortSignal,
): Promise<DemoResult> {
  const course = new Course(nodes);
  const display = new ProgressDisplay(screen, nodes);
  const start = performance.now();
  let lastChange = start;
  let progress = nothingYet;
  let cut: DemoResult['cut'];
  while (cut === undefined && !course.isOver(progress)) {
    await wait(lookEveryMs);
    const { lost } = stack;
    const samples = await stack.metrics('provisioner');
    const looked = samples === undefined ? progress : readProgress(samples);
    if (JSON.stringify(looked) !== JSON.stringify(progress)) lastChange = performance.now();
    progress = looked;
    display.show(progress, performance.now() - start);
    // A swarm of which every node was shut down has come to its end.
    if (lost?.service === 'mock-node' && lost.exit?.code === 0) break;
    if (lost !== undefined) throw new ServiceEndedError(lost);
    if (signal.aborted) cut = 'INTERRUPTED';
    else if (performance.now() - lastChange > stuckAfterMs) cut = 'STUCK';
  }
  const elapsedMs = performance.now() - start;
  display.show(progress, elapsedMs, true);
  return { nodes, progress, seconds: elapsedMs / 1000, cut };
}
