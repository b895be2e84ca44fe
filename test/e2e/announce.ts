// Nodes that do not report themselves: the test does it for them.

import { randomUUID } from 'node:crypto';
import { credentials } from '@grpc/grpc-js';
import { onTestFinished } from 'vitest';
import type { Stack } from '../../cli/launch/stack.js';
import {
  NodeRegistryServiceClient,
  NodeReport,
  ReportType,
} from '../../shared/gen/slipway/discovery/v1/registry.js';
import { callUnary } from '../../shared/grpc/call.js';
import { parseHostPort } from '../../shared/net/addresses.js';

export interface Announced {
  readonly identity: string;
  /** A boot of its own where absent. */
  readonly bootId?: string;
  /** host:port. */
  readonly address: string;
}

/** Reports STARTUP for each of them to the stack's discovery. */
export async function announce(stack: Stack, nodes: readonly Announced[]): Promise<void> {
  const registry = connectRegistry(stack);
  for (const { identity, bootId = randomUUID(), address } of nodes) {
    const report: Partial<NodeReport> = {
      type: ReportType.STARTUP,
      eventId: randomUUID(),
      identity,
      bootId,
      sequence: 1n,
      time: new Date(),
      ...parseHostPort(address),
    };
    await sendReport(registry, NodeReport.encode(NodeReport.fromPartial(report)).finish());
  }
}

/** @returns a client of the stack's listener for nodes, closed after the test */
export function connectRegistry(stack: Stack): NodeRegistryServiceClient {
  const registry = new NodeRegistryServiceClient(
    `127.0.0.1:${stack.ports.nodes}`,
    credentials.createInsecure(),
  );
  onTestFinished(() => registry.close());
  return registry;
}

/**
 * Sends bytes as a report.
 *
 * @throws RpcError where it is refused
 */
export async function sendReport(registry: NodeRegistryServiceClient, report: Uint8Array): Promise<void> {
  const request = {
    report: Buffer.from(report),
    certificate: Buffer.alloc(0),
    signature: Buffer.alloc(0),
  };
  await callUnary(registry.report.bind(registry), request, { timeoutMs: 5_000 });
}
