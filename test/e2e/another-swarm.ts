// Swarms beside a stack's own: each a process, with nodes that hold another token or know another CA.

import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { freePorts } from '../../cli/launch/ports.js';
import { launch } from '../../cli/launch/service-process.js';
import type { Stack } from '../../cli/launch/stack.js';

export interface AnotherSwarm {
  /** Names it: the first label of its nodes. */
  readonly name: string;
  readonly nodes: number;
  /** Where its nodes listen; a free port where absent. */
  readonly port?: number;
  readonly flags: readonly string[];
}

/** Where such a swarm is found. */
export interface RunningSwarm {
  readonly nodesDirectory: string;
  readonly logFile: string;
}

/** Starts a swarm whose nodes report to the stack's discovery, until the test is over. */
export async function startAnotherSwarm(stack: Stack, swarm: AnotherSwarm): Promise<RunningSwarm> {
  const { name, nodes, flags } = swarm;
  const nodesDirectory = join(stack.directory, `nodes-${name}`);
  const port = swarm.port ?? (await freePorts(['listen'])).listen;
  const process = await launch({
    service: 'mock-node',
    args: [
      ...['--nodes', String(nodes), '--identity', `${name}.swarm.local`],
      ...['--listen', `0.0.0.0:${port}`, '--addresses', 'loopback'],
      ...['--discovery', `127.0.0.1:${stack.ports.nodes}`, '--dir', nodesDirectory],
      ...flags,
    ],
    logFile: join(stack.directory, `mock-node-${name}.log`),
  });
  onTestFinished(async () => {
    await process.end('SIGKILL');
  });
  return { nodesDirectory, logFile: process.logFile };
}
