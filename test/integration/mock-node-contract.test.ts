// The node contract over the wire, by clients made from the .proto file.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { status } from '@grpc/grpc-js';
import { expect, test } from 'vitest';
import { readNodeState } from '../../services/mock-node/state/read-node-state.js';
import {
  configureRequest,
  digestOf,
  NodeClient,
  newRun,
  patience,
  startMockNode,
  startRegistry,
  temporaryFolder,
} from './mock-node-support.js';

const identity = 'web-1.example.net';

test('a node is identified, configured, restarted and comes up with its configuration', async () => {
  const directory = temporaryFolder();
  const registry = await startRegistry();
  const app = await startMockNode({ flags: ['--dir', directory, '--discovery', registry.address] });
  const node = new NodeClient(`127.0.0.1:${app.port}`);
  const run = newRun();

  const before = await node.identify();
  expect(before).toMatchObject({
    identity,
    provisioning: true,
    features: { jwt: false, ed25519: true, pki: true, upgrades: true },
  });
  expect(before.challenge).toHaveLength(32);
  const inventory = await node.as(run, 'GetInventory');
  expect(inventory).toMatchObject({ upgradable: true, main_collective: 'provisioning' });
  expect(JSON.parse(String(inventory.facts_json))).toMatchObject({ fqdn: identity });

  const request = configureRequest({ 'plugin.choria.server.provision': 'false' });
  const { configuration_digest: digest } = await node.as(run, 'Configure', request);
  expect(digest).toEqual(digestOf(request));
  expect(await node.as(run, 'GetRunStatus', { run_id: run.runId })).toMatchObject({
    stage: 'RUN_STAGE_CONFIGURED',
    configuration_digest: digest,
  });
  await node.as(run, 'Restart', { splay: { seconds: 0, nanos: 50_000_000 } });
  await expect.poll(() => app.swarm.counts.CONFIGURED, patience).toBe(1);

  const after = await node.identify();
  expect(after).toMatchObject({ identity, provisioning: false });
  expect(after.boot_id).not.toBe(before.boot_id);
  expect(after.challenge).not.toEqual(before.challenge);
  expect(await node.as(run, 'GetRunStatus', { run_id: run.runId })).toMatchObject({
    stage: 'RUN_STAGE_CONFIRMED',
    configuration_digest: digest,
  });
  await expect
    .poll(() => registry.reports.map(({ type }) => type), patience)
    .toEqual(['REPORT_TYPE_STARTUP', 'REPORT_TYPE_SHUTDOWN', 'REPORT_TYPE_PROVISIONED']);
  expect(registry.reports.at(-1)).toMatchObject({
    identity,
    component: 'provision_mode_server',
    boot_id: after.boot_id,
    port: app.port,
    host: '',
    sequence: '1',
    run_id: run.runId,
    configuration_digest: digest,
  });
  // Alone, a node closes its channel after each report.
  expect(registry.peers.size).toBe(3);
  expect(await readNodeState(join(directory, identity))).toMatchObject({
    configurations: 1,
    runId: run.runId,
    confirmed: true,
    problems: [],
  });
});

test('a node is upgraded, withdraws what it was configured with, and is configured with its new release', async () => {
  const directory = temporaryFolder();
  const registry = await startRegistry();
  const flags = ['--dir', directory, '--discovery', registry.address, '--release=1.0', '--upgrade-time=1s'];
  const app = await startMockNode({ flags });
  const node = new NodeClient(`127.0.0.1:${app.port}`);
  const run = newRun();
  await expect.poll(() => registry.reports.length, patience).toBe(1);
  const before = await node.identify();
  expect(before).toMatchObject({ version: '1.0', features: { upgrades: true } });
  await node.as(run, 'Configure', configureRequest());
  const authority = await node.authority(run);
  const release = { repository: 'https://releases.example.net', version: '1.1' };
  const upgrading = node.call('UpdateRelease', release, authority);
  upgrading.catch(() => {});
  const statusOf = () => node.call('GetRunStatus', { run_id: run.runId }, authority);
  await expect.poll(statusOf, patience).toMatchObject({ stage: 'RUN_STAGE_UPGRADING' });
  expect(await node.identify()).toMatchObject({ provisioning: false, version: '1.0' });
  expect(await node.refusal(newRun(), 'Configure', configureRequest())).toMatchObject({ reason: 'STOPPING' });
  const repeat = node.call('UpdateRelease', release, authority);
  expect(await upgrading).toEqual({ message: 'the release is replaced, and the node restarts' });
  expect(await repeat).toEqual(await upgrading);

  const boot = async () => (await node.identify().catch(() => before)).boot_id;
  await expect.poll(boot, patience).not.toBe(before.boot_id);
  expect(await node.identify()).toMatchObject({ provisioning: true, version: '1.1' });
  expect(await node.as(run, 'GetRunStatus', { run_id: run.runId })).toMatchObject({
    stage: 'RUN_STAGE_UPGRADED',
  });
  expect(await readNodeState(join(directory, identity))).toMatchObject({ status: 'NONE', problems: [] });
  await expect
    .poll(() => registry.reports.map(({ type, version }) => [type, version]), patience)
    .toEqual([
      ['REPORT_TYPE_STARTUP', '1.0'],
      ['REPORT_TYPE_SHUTDOWN', '1.0'],
      ['REPORT_TYPE_UPGRADED', '1.1'],
    ]);

  const next = newRun();
  expect(await node.as(next, 'GetInventory')).toMatchObject({ version: '1.1', upgradable: true });
  await node.as(next, 'Configure', configureRequest());
  await node.as(next, 'Restart');
  await expect.poll(() => app.swarm.counts.CONFIGURED, patience).toBe(1);
  expect(await node.identify()).toMatchObject({ provisioning: false, version: '1.1' });
});

test('a node that is reprovisioned comes back with nothing of its configuration and takes another', async () => {
  const directory = temporaryFolder();
  const registry = await startRegistry();
  const secretFile = join(temporaryFolder(), 'secret');
  writeFileSync(secretFile, 's3cret\n');
  const flags = ['--dir', directory, '--discovery', registry.address, '--secret-file', secretFile];
  const app = await startMockNode({ flags });
  const node = new NodeClient(`127.0.0.1:${app.port}`, 's3cret');
  const first = newRun();
  await node.as(first, 'GenerateEd25519Key', { nonce: Buffer.alloc(32) });
  await node.as(first, 'GenerateCsr', { common_name: identity });
  await node.as(first, 'Configure', configureRequest());
  await node.as(first, 'Restart');
  await expect.poll(() => app.swarm.counts.CONFIGURED, patience).toBe(1);
  await expect.poll(() => registry.reports.at(-1)?.type, patience).toBe('REPORT_TYPE_PROVISIONED');

  const again = newRun();
  const authority = await node.authority(again);
  const reply = await node.call('Reprovision', {}, authority);
  expect(reply).toMatchObject({ message: 'the node restarts into provisioning mode' });
  expect(reply.restarting_in).not.toBeNull();
  expect(await node.call('Reprovision', {}, authority)).toMatchObject({ message: reply.message });
  await expect.poll(() => app.swarm.counts.PROVISIONING, patience).toBe(1);
  expect(await readNodeState(join(directory, identity))).toMatchObject({
    status: 'NONE',
    settings: new Map(),
    problems: [],
  });
  await expect
    .poll(() => registry.reports.slice(-2).map(({ type }) => type), patience)
    .toEqual(['REPORT_TYPE_SHUTDOWN', 'REPORT_TYPE_STARTUP']);
  // Runs before the one that reprovisioned it are over.
  expect(await node.refusal(first, 'Configure', configureRequest())).toMatchObject({ reason: 'STALE_FENCE' });

  const second = newRun();
  await node.as(second, 'Configure', configureRequest());
  await node.as(second, 'Restart');
  await expect.poll(() => app.swarm.counts.CONFIGURED, patience).toBe(1);
  expect(await node.as(second, 'GetRunStatus', { run_id: second.runId })).toMatchObject({
    stage: 'RUN_STAGE_CONFIRMED',
  });
  expect(await node.as(second, 'GetRunStatus', { run_id: again.runId })).toMatchObject({
    stage: 'RUN_STAGE_RESTARTING',
  });
});

test('a stop that is pending is told again to its own run, and refuses others', async () => {
  const app = await startMockNode();
  const node = new NodeClient(`127.0.0.1:${app.port}`);
  const run = newRun();
  await node.as(run, 'Configure', configureRequest());
  await node.as(run, 'Restart', { splay: { seconds: 3600 } });
  expect(await node.identify()).toMatchObject({ provisioning: false });
  await node.as(run, 'Restart', { splay: { seconds: 3600 } });
  expect(await node.as(run, 'GetRunStatus', { run_id: run.runId })).toMatchObject({
    stage: 'RUN_STAGE_RESTARTING',
  });
  expect(await node.refusal(newRun(), 'Shutdown')).toMatchObject({
    code: status.FAILED_PRECONDITION,
    reason: 'STOPPING',
  });
});

test('the last node that was shut down ends the process', async () => {
  const app = await startMockNode();
  const node = new NodeClient(`127.0.0.1:${app.port}`);
  const run = newRun();
  await node.as(run, 'Shutdown');
  await app.done;
  expect(await node.identify().catch((error) => error)).toMatchObject({ code: status.UNAVAILABLE });
});

test('a configuration of nearly 16 MiB is taken, a larger message is not', async () => {
  const app = await startMockNode();
  const node = new NodeClient(`127.0.0.1:${app.port}`);
  const run = newRun();
  const policies = (bytes: number) => ({ action_policies: { 'a.policy': 'x'.repeat(bytes) } });
  await node.as(run, 'Configure', { ...configureRequest(), ...policies((16 << 20) - 1000) });
  const error = await node.refusal(run, 'Configure', { ...configureRequest(), ...policies(16 << 20) });
  expect(error.code).toBe(status.RESOURCE_EXHAUSTED);
});

test('what is on disk survives the process', async () => {
  const directory = temporaryFolder();
  const first = await startMockNode({ flags: ['--dir', directory] });
  const run = newRun();
  const client = new NodeClient(`127.0.0.1:${first.port}`);
  const { boot_id } = await client.identify();
  await client.as(run, 'Configure', configureRequest());
  await first.stop();

  const second = await startMockNode({ flags: ['--dir', directory] });
  const node = new NodeClient(`127.0.0.1:${second.port}`);
  const after = await node.identify();
  expect(after).toMatchObject({ identity, provisioning: false });
  expect(after.boot_id).not.toBe(boot_id);
  expect(await node.as(run, 'GetRunStatus', { run_id: run.runId })).toMatchObject({
    stage: 'RUN_STAGE_CONFIRMED',
  });
});
