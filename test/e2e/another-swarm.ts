// Swarms beside a stack's own: each a process, with nodes that hold another token or know another CA.

import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { freePorts } from '../../cli/launch/ports.js';
import { launch, type ServiceProcess } from '../../cli/launch/service-process.js';
import type { Stack } from '../../cli/launch/stack.js';

export interface AnotherSwarm {
  /** Names it: the first label of its nodes. */
  readonly name: string;
  readonly nodes: number;
  readonly flags: readonly string[];
}

/** Where such a swarm is found. */
export interface RunningSwarm {
  readonly nodesDirectory: string;
  readonly process: ServiceProcess;
}

/** Starts a swarm whose nodes report to the stack's discovery, until the test is over. */
export async function startAnotherSwarm(stack: Stack, swarm: AnotherSwarm): Promise<RunningSwarm> {
  const { name, nodes, flags } = swarm;
  const nodesDirectory = join(stack.directory, `nodes-${name}`);
  const { listen } = await freePorts(['listen']);
  const process = await launch({
    service: 'mock-node',
    args: [
      ...['--nodes', String(nodes), '--identity', `${name}.swarm.local`],
      ...['--listen', `0.0.0.0:${listen}`, '--addresses', 'loopback'],
      ...['--discovery', `127.0.0.1:${stack.ports.nodes}`, '--dir', nodesDirectory],
      ...flags,
    ],
    logFile: join(stack.directory, `mock-node-${name}.log`),
  });
  onTestFinished(async () => {
    await process.end('SIGKILL');
  });
  return { nodesDirectory, process };
}
