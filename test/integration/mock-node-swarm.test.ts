// Many nodes in one process, each reached at an address of its own.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { status } from '@grpc/grpc-js';
import { expect, test } from 'vitest';
import { freePorts } from '../../cli/launch/ports.js';
import { loopbackHost } from '../../services/mock-node/swarm/names.js';
import { loggerTo } from '../../shared/logger.js';
import {
  configureRequest,
  NodeClient,
  newRun,
  patience,
  startMockNode,
  startRegistry,
  temporaryFolder,
} from './mock-node-support.js';

test('one listener answers for every node at its loopback address', async () => {
  const registry = await startRegistry();
  const app = await startMockNode({ flags: ['--nodes=300', '--discovery', registry.address] });
  await expect.poll(() => registry.reports.length, patience).toBe(300);
  const addresses = new Map(
    registry.reports.map(({ identity, host, port }) => [identity, `${host}:${port}`]),
  );
  expect(addresses.size).toBe(300);
  // They share a channel.
  expect(registry.peers.size).toBe(1);
  for (const identity of ['node-00001.swarm.local', 'node-00254.swarm.local', 'node-00300.swarm.local']) {
    const node = new NodeClient(addresses.get(identity) ?? '');
    expect(await node.identify()).toMatchObject({ identity });
  }
  for (const address of [`127.0.0.1:${app.port}`, `${loopbackHost(300)}:${app.port}`]) {
    await expect(new NodeClient(address).identify()).rejects.toMatchObject({ code: status.UNAVAILABLE });
  }
});

test('the nodes of a swarm are configured and restarted each by itself', async () => {
  const app = await startMockNode({ flags: ['--nodes=3', '--dir', temporaryFolder()] });
  const [first, second] = [0, 1].map((index) => new NodeClient(`${loopbackHost(index)}:${app.port}`));
  if (first === undefined || second === undefined) expect.fail('no clients');
  const run = newRun();
  await first.as(run, 'Configure', configureRequest());
  expect(await second.refusal(run, 'Restart')).toMatchObject({ reason: 'PROVISIONING_ENABLED' });
  await first.as(run, 'Restart');
  await expect.poll(() => app.swarm.counts, patience).toMatchObject({ CONFIGURED: 1, PROVISIONING: 2 });
  expect(await first.identify()).toMatchObject({ provisioning: false });
  expect(await second.identify()).toMatchObject({ provisioning: true });
});

test('a node of a swarm that is down is unavailable, and its neighbours are not', async () => {
  const app = await startMockNode({ flags: ['--nodes=2'] });
  const [first, second] = [0, 1].map((index) => new NodeClient(`${loopbackHost(index)}:${app.port}`));
  if (first === undefined || second === undefined) expect.fail('no clients');
  await first.as(newRun(), 'Shutdown');
  await expect.poll(() => app.swarm.counts.STOPPED, patience).toBe(1);
  await expect(first.identify()).rejects.toMatchObject({ code: status.UNAVAILABLE });
  expect(await second.identify()).toMatchObject({ provisioning: true });
});

test('nodes may have a port each instead', async () => {
  const registry = await startRegistry();
  const flags = ['--nodes=20', '--addresses=ports', '--advertise-host=localhost'];
  await startMockNode({ flags: [...flags, '--discovery', registry.address] });
  await expect.poll(() => registry.reports.length, patience).toBe(20);
  expect(new Set(registry.reports.map(({ port }) => port)).size).toBe(20);
  for (const { identity, host, port } of registry.reports.slice(0, 3)) {
    expect(host).toBe('localhost');
    expect(await new NodeClient(`127.0.0.1:${port}`).identify()).toMatchObject({ identity });
  }
});

test('the monitor counts nodes by what they do, and configurations', async () => {
  const { monitor } = await freePorts(['monitor']);
  const app = await startMockNode({
    flags: ['--nodes=3', '--monitor-host=127.0.0.1', `--monitor-port=${monitor}`],
  });
  const node = new NodeClient(`${loopbackHost(0)}:${app.port}`);
  const run = newRun();
  await node.as(run, 'Configure', configureRequest());
  await node.as(run, 'Restart');
  await expect.poll(() => app.swarm.counts.CONFIGURED, patience).toBe(1);
  const base = `http://${app.addresses.monitor}`;
  expect((await fetch(`${base}/readyz`)).status).toBe(200);
  const metrics = await (await fetch(`${base}/metrics`)).text();
  expect(metrics).toContain('slipway_mock_node_nodes{mode="configured",site="default"} 1');
  expect(metrics).toContain('slipway_mock_node_nodes{mode="provisioning",site="default"} 2');
  expect(metrics).toContain('slipway_mock_node_configurations_total{site="default"} 1');
  expect(metrics).toContain('slipway_mock_node_calls_total{rpc="Configure",code="OK",site="default"} 1');
});

test('nothing that is logged holds a secret or a value of a configuration', async () => {
  const lines = new PassThrough();
  let logged = '';
  lines.on('data', (chunk) => {
    logged += chunk;
  });
  const log = loggerTo(lines, { service: 'mock-node', site: 'default', level: 'debug' });
  const secretFile = join(temporaryFolder(), 'secret');
  writeFileSync(secretFile, 's3cret');
  const app = await startMockNode({ log, flags: ['--secret-file', secretFile] });
  const node = new NodeClient(`127.0.0.1:${app.port}`, 's3cret');
  const run = newRun();
  const wrong = await node.authority(run, { 'slipway-proof': 'hunter2' });
  await expect(node.call('GetInventory', {}, wrong)).rejects.toMatchObject({ reason: 'PROOF_INVALID' });
  await node.refusal(run, 'Configure', { configuration_json: '{"password":"hunter2\\n"}' });
  await node.refusal(run, 'Configure', { ...configureRequest(), server_jwt: 'hunter2' });
  await node.as(run, 'Configure', configureRequest({ password: 'hunter2' }));
  await node.as(run, 'Restart');
  await expect.poll(() => app.swarm.counts.CONFIGURED, patience).toBe(1);
  expect(logged).toContain('booted');
  expect(logged).not.toMatch(/hunter2|s3cret/);
});
