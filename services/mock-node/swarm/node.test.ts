import { status } from '@grpc/grpc-js';
import { beforeEach, describe, expect, test } from 'vitest';
import { RpcError } from '../../../shared/grpc/errors.js';
import { newRunId } from '../../../shared/identity.js';
import { agentOf, digestOf, NodeBench } from '../../../test/fakes/node-bench.js';

let bench: NodeBench;

beforeEach(() => {
  bench = new NodeBench();
});

test('a restart is announced at once, and the next boot comes up configured and says so', async () => {
  const node = bench.newNode();
  await node.start();
  await bench.clock.advance(0);
  const runId = newRunId();
  const firstBoot = agentOf(node).identify().bootId;
  await bench.configure(node, runId);
  await agentOf(node).restart(bench.callTo(node, runId), 2_000);
  await bench.clock.advance(500);
  expect(bench.registry.types).toEqual(['STARTUP', 'SHUTDOWN']);
  expect(node.agent).toBeDefined();
  await bench.clock.advance(550);
  expect(node.agent).toBeUndefined();
  await bench.clock.advance(100);

  expect(agentOf(node).identify()).toMatchObject({ provisioning: false });
  expect(agentOf(node).identify().bootId).not.toBe(firstBoot);
  expect(bench.registry.last).toMatchObject({
    type: 'PROVISIONED',
    sequence: 1,
    provisioned: { runId, configurationDigest: digestOf(1) },
  });
  expect(bench.phases).toEqual(['DOWN', 'PROVISIONING', 'STOPPING', 'DOWN', 'CONFIGURED']);
});

test('a boot that is over lets go of its credentials, and the next one gets others', async () => {
  const node = bench.newNode();
  await node.start();
  const runId = newRunId();
  await bench.configure(node, runId);
  await agentOf(node).restart(bench.callTo(node, runId), 0);
  await bench.clock.advance(10);
  expect([node.agent, bench.released]).toEqual([undefined, 1]);
  bench.credentials = { ...bench.credentials, provisioningByDefault: true };
  await bench.clock.advance(200);
  // The settings do not say: what the boot's token says counts.
  expect(node.phase).toBe('PROVISIONING');
  await node.end(1_000);
  expect(bench.released).toBe(2);
});

test('a node that was shut down stays silent', async () => {
  const node = bench.newNode();
  await node.start();
  await bench.clock.advance(0);
  await agentOf(node).shutdown(bench.callTo(node, newRunId()));
  await bench.clock.advance(3_600_000);
  expect(node.agent).toBeUndefined();
  expect(bench.registry.types).toEqual(['STARTUP', 'SHUTDOWN']);
  expect(node.phase).toBe('STOPPED');
  expect(bench.clock.pendingTimers).toBe(0);
});

test('a node that discovery cannot hear restarts all the same', async () => {
  bench.registry.answer = () => {
    throw new RpcError(status.UNAVAILABLE, 'away');
  };
  const node = bench.newNode();
  await node.start();
  const runId = newRunId();
  await bench.configure(node, runId);
  await agentOf(node).restart(bench.callTo(node, runId), 0);
  await bench.clock.advance(200);
  expect(node.phase).toBe('CONFIGURED');
});

test('a report that hangs delays going down by a second at most', async () => {
  const node = bench.newNode();
  await node.start();
  await bench.clock.advance(0);
  bench.registry.answer = (_report, signal) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  const runId = newRunId();
  await bench.configure(node, runId);
  await agentOf(node).restart(bench.callTo(node, runId), 0);
  await bench.clock.advance(1_100);
  expect(node.phase).toBe('CONFIGURED');
});

test('a disk that fails at boot is tried again', async () => {
  await bench.files.makeDirectory(`${bench.directory}/state`);
  await bench.files.write(`${bench.directory}/state/manifest.json`, 'junk', 0o600);
  const node = bench.newNode();
  const starting = node.start();
  await bench.clock.advance(500);
  expect(node.phase).toBe('DOWN');
  await bench.files.remove(`${bench.directory}/state/manifest.json`);
  await bench.clock.advance(1_500);
  await starting;
  expect(node.phase).toBe('PROVISIONING');
  expect(bench.released).toBe(bench.opened - 1);
});

describe('the end of the process', () => {
  test('is reported, and leaves the state for the next one', async () => {
    const node = bench.newNode();
    await node.start();
    await bench.clock.advance(0);
    await bench.configure(node, newRunId());
    await node.end(1_000);
    expect(bench.registry.types).toEqual(['STARTUP', 'SHUTDOWN']);
    const next = bench.newNode();
    await next.start();
    expect(next.phase).toBe('CONFIGURED');
  });

  test('while the node is down keeps it down', async () => {
    const node = bench.newNode();
    await node.start();
    const runId = newRunId();
    await bench.configure(node, runId);
    await agentOf(node).restart(bench.callTo(node, runId), 0);
    await bench.clock.advance(10);
    expect(node.phase).toBe('DOWN');
    await node.end(1_000);
    await bench.clock.advance(10_000);
    expect(node.agent).toBeUndefined();
    expect(node.phase).toBe('STOPPED');
  });
});
