import { randomUUID } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';
import { credentials } from '@grpc/grpc-js';
import { onTestFinished, test } from 'vitest';
import type { Stack } from '../../cli/launch/stack.js';
import {
  NodeRegistryServiceClient,
  NodeReport,
  ReportType,
} from '../../shared/gen/slipway/discovery/v1/registry.js';
import { callUnary } from '../../shared/grpc/call.js';
import { untilConfirmed } from './confirmed.js';
import { prepareStack, testHelper } from './workspace.js';

test('90 of 100 announced nodes are dead: the 10 live ones are provisioned within seconds', async () => {
  const stack = await prepareStack({ nodes: 10, helper: testHelper('stamped.sh') });
  await stack.start('discovery');
  await stack.start('provisioner');
  await announceDead(stack, await blackHole());
  const announced = performance.now();
  await stack.start('mock-node');
  await untilConfirmed(stack, 10, 15_000);
  process.stdout.write(`10 live among 90 dead: ${Math.round(performance.now() - announced)} ms\n`);
});

/** 45 nodes at a port that refuses, 45 at one that accepts and never answers. */
async function announceDead(stack: Stack, blackHolePort: number): Promise<void> {
  const refusedPort = 1;
  const registry = new NodeRegistryServiceClient(
    `127.0.0.1:${stack.ports.nodes}`,
    credentials.createInsecure(),
  );
  onTestFinished(() => registry.close());
  for (let index = 0; index < 90; index++) {
    const report = Buffer.from(
      NodeReport.encode(
        NodeReport.fromPartial({
          eventId: randomUUID(),
          type: ReportType.STARTUP,
          identity: `dead-${index}.example.net`,
          time: new Date(),
          bootId: randomUUID(),
          sequence: 1n,
          port: index % 2 === 0 ? refusedPort : blackHolePort,
          host: `127.9.0.${index + 1}`,
        }),
      ).finish(),
    );
    await callUnary(
      registry.report.bind(registry),
      { report, certificate: Buffer.alloc(0), signature: Buffer.alloc(0) },
      { timeoutMs: 5_000 },
    );
  }
}

/** @returns a port on every loopback address that accepts connections and never says a word */
async function blackHole(): Promise<number> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a listener without a port');
  return address.port;
}
