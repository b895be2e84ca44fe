// One node as a process of its own, with the token of a stack's nodes, beside the stack's swarm.

import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { launch, type ServiceProcess } from '../../cli/launch/service-process.js';
import type { Stack } from '../../cli/launch/stack.js';

export interface LoneNode {
  readonly identity: string;
  /** Where the node listens; default 127.0.0.1. */
  readonly host?: string;
  readonly port: number;
  /** host:port that it reports to. */
  readonly discovery: string;
  readonly flags?: readonly string[];
}

/** Starts a node, encrypted; its folder is among those of the swarm. It is ended after the test. */
export async function launchNode(stack: Stack, node: LoneNode): Promise<ServiceProcess> {
  const launched = await launch({
    service: 'mock-node',
    args: [
      ...['--identity', node.identity],
      ...['--listen', `${node.host ?? '127.0.0.1'}:${node.port}`],
      ...['--discovery', node.discovery],
      ...['--jwt-file', stack.trust?.provisioningToken ?? ''],
      ...['--dir', stack.nodesDirectory],
      ...(node.flags ?? []),
    ],
    logFile: logOfNode(stack, node.identity),
  });
  onTestFinished(async () => void (await launched.end('SIGKILL')));
  return launched;
}

/** @returns where a lone node's log is */
export function logOfNode(stack: Stack, identity: string): string {
  return join(stack.directory, `${identity}.log`);
}
