// The swarm, the same for all that are compared. One process plays all nodes, and one certificate serves them; what they
// write is not synced and, where the system has files in memory, not on a disk: the figures are not to be the disk's.

import { join } from 'node:path';
import { type Samples, scrape } from '../../../cli/launch/scrape.js';
import { launch, ServiceEndedError, type ServiceProcess } from '../../../cli/launch/service-process.js';
import type { Stack } from '../../../cli/launch/stack.js';
import type { FleetOptions } from '../options.js';

export interface RunningSwarm {
  readonly pid: number;
  /** @throws ServiceEndedError where it has ended */
  metrics(): Promise<Samples | undefined>;
  kill(): Promise<void>;
}

/** Starts the nodes, which report to the stack's discovery, or to what listens in its place. */
export async function startSwarm(
  stack: Stack,
  { nodes, withinMs, tls }: FleetOptions,
  personas?: string,
): Promise<RunningSwarm> {
  const { ports, trust } = stack;
  const logFile = join(stack.directory, 'mock-node.log');
  const args = [
    ...['--nodes', String(nodes)],
    ...['--listen', `0.0.0.0:${ports.swarm}`, '--addresses', 'loopback'],
    ...['--discovery', `127.0.0.1:${ports.nodes}`],
    ...['--monitor-host', '127.0.0.1', '--monitor-port', String(ports.swarmMonitor)],
    ...['--start-within', `${withinMs}ms`],
    ...(tls ? ['--share-certificate'] : ['--tls-mode', 'insecure']),
    ...(trust ? ['--jwt-file', trust.provisioningToken] : []),
    ...(personas === undefined ? [] : ['--personas', personas]),
  ];
  const swarm: ServiceProcess = await launch({ service: 'mock-node', args, logFile });
  return {
    pid: swarm.pid,
    metrics: () => {
      if (swarm.exit !== undefined) throw new ServiceEndedError(swarm);
      return scrape(ports.swarmMonitor);
    },
    kill: async () => void (await swarm.end('SIGKILL')),
  };
}
