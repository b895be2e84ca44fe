import { randomBytes } from 'node:crypto';
import { connect, createServer } from 'node:net';
import { status } from '@grpc/grpc-js';
import { expect, onTestFinished, test } from 'vitest';
import type { Stack } from '../../cli/launch/stack.js';
import { until } from '../../cli/launch/until.js';
import { NodeReport, ReportType } from '../../shared/gen/slipway/discovery/v1/registry.js';
import { FakeNodes } from '../fakes/fake-nodes.js';
import { announce, connectRegistry, sendReport } from './announce.js';
import { untilConfirmed } from './confirmed.js';
import { listenAnywhere } from './listen.js';
import { nodesOnDisk, notWhole } from './nodes-on-disk.js';
import { prepareStack, testHelper } from './workspace.js';

test('what junk a node reports is refused, and nodes beside it are provisioned', async () => {
  const stack = await prepareStack({ nodes: 3, helper: testHelper('stamped.sh') });
  await stack.start('discovery');
  await stack.start('provisioner');
  await sayNonsense(stack.ports.nodes);
  const registry = connectRegistry(stack);
  const reportOf = (identity: string) =>
    NodeReport.encode(NodeReport.fromPartial({ type: ReportType.STARTUP, identity })).finish();
  const junk = [
    Buffer.alloc(0),
    randomBytes(500),
    Buffer.alloc(20_000, 0xff),
    reportOf('../../etc/passwd'),
    reportOf('x'.repeat(300)),
    reportOf('node-00001.swarm.local'),
  ];
  for (const bytes of junk) {
    await expect(sendReport(registry, bytes)).rejects.toMatchObject({ code: status.INVALID_ARGUMENT });
  }
  await stack.start('mock-node');
  await untilConfirmed(stack, 3, 30_000);
  const samples = await stack.metrics('discovery');
  expect(samples?.sum('slipway_discovery_reports_refused_total', { reason: 'ARGUMENT_INVALID' })).toBe(
    junk.length,
  );
});

test('whatever junk nodes answer, each fails with its reason, and others go on', async () => {
  const nodes = 5;
  const stack = await prepareStack({
    nodes,
    helper: testHelper('stamped.sh'),
    // One turn each.
    discovery: { interval: '10m' },
    provisioner: { interval: '10m' },
  });
  await stack.start('discovery');
  await stack.start('provisioner');
  await announceOddNodes(stack);
  await stack.start('mock-node');
  await untilConfirmed(stack, nodes, 60_000);
  expect(notWhole(await nodesOnDisk(stack))).toEqual([]);

  const expected = new Map([
    ['REPLY_INVALID', 4],
    ['IDENTITY_MISMATCH', 1],
    ['NOT_PROVISIONING', 1],
    ['MESSAGE_TOO_LARGE', 2],
    ['UNREACHABLE', 1],
  ]);
  await expect
    .poll(() => failures(stack), { timeout: 30_000, interval: 100 })
    .toEqual(new Map([...expected].sort()));
});

async function failures(stack: Stack): Promise<Map<string, number>> {
  const samples = await stack.metrics('provisioner');
  const failed = samples?.sumBy('reason', 'slipway_provisioner_runs_total', { outcome: 'FAILED' });
  return new Map([...(failed ?? [])].sort());
}

/** Nodes that answer one call each as no node should. */
async function announceOddNodes(stack: Stack): Promise<void> {
  const fakes = await FakeNodes.start();
  onTestFinished(() => fakes.stop());
  const odd: Readonly<Record<string, readonly [call: string, answer: object | Buffer]>> = {
    'no-message': ['Identify', Buffer.alloc(200, 0xff)],
    'no-boot': ['Identify', { bootId: '' }],
    'somebody-else': ['Identify', { identity: 'elsewhere.example.net' }],
    'configured-already': ['Identify', { provisioning: false }],
    'long-winded': ['Identify', { version: 'x'.repeat(2 << 20) }],
    hoarder: ['GetInventory', { factsJson: `{"a":"${'x'.repeat(5 << 20)}"}` }],
    'no-json': ['GetInventory', { factsJson: '{"a":' }],
    'no-object': ['GetInventory', { factsJson: '[]' }],
  };
  const announced = Object.entries(odd).map(([name, [call, answer]], index) => {
    const node = fakes.add(`${name}.example.net`);
    node.bootNumber = index + 1;
    node.answers.set(call, answer);
    return { identity: node.identity, bootId: node.bootId, address: fakes.addressOf(node) };
  });
  const address = `127.0.0.1:${await babblingPort()}`;
  await announce(stack, [...announced, { identity: 'babbler.example.net', address }]);
}

/** @returns a port at which somebody speaks that has never heard of HTTP/2 */
function babblingPort(): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.end('220 mail.example.net ESMTP ready\r\n');
  });
  return listenAnywhere(server, '127.0.0.1');
}

/** Opens connections to a gRPC port and says what does not belong there. */
async function sayNonsense(port: number): Promise<void> {
  for (const bytes of [Buffer.from('GET / HTTP/1.1\r\n\r\n'), randomBytes(10_000), Buffer.alloc(0)]) {
    const socket = connect(port, '127.0.0.1', () => socket.end(bytes));
    socket.on('error', () => {});
    socket.resume();
    await until(() => socket.closed, { what: 'the connection is closed', timeoutMs: 10_000 });
  }
}
