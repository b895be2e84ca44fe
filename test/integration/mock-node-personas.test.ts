// A swarm of every persona, as a client meets its nodes.

import { PassThrough } from 'node:stream';
import { Metadata, status } from '@grpc/grpc-js';
import { describe, expect, test } from 'vitest';
import type { MockNodeApp } from '../../services/mock-node/app.js';
import { loopbackHost } from '../../services/mock-node/swarm/names.js';
import { loggerTo } from '../../shared/logger.js';
import {
  type AppOptions,
  configureRequest,
  NodeClient,
  newRun,
  patience,
  startMockNode,
  startRegistry,
} from './mock-node-support.js';

const everyone = 'healthy=3,slow=1,dead=2,flapping=1,looping=2,cloned=2,lying=8,ageing=1';
const provisioned = configureRequest({ 'plugin.choria.server.provision': 'false' });

interface Swarm {
  readonly app: MockNodeApp;
  /** Clients of all nodes of a persona, or of those of one kind of it. */
  clients(name: string, kind?: string): NodeClient[];
  client(name: string, kind?: string): NodeClient;
}

async function startSwarm(nodes: number, personas: string, options: AppOptions = {}): Promise<Swarm> {
  const { flags = [], ...others } = options;
  const ours = [`--nodes=${nodes}`, `--personas=${personas}`];
  const app = await startMockNode({ ...others, flags: [...ours, ...flags] });
  const tls = flags.includes('--tls-mode=required');
  const indices = Array.from({ length: nodes }, (_, index) => index);
  const clients = (name: string, kind?: string) =>
    indices
      .filter((index) => {
        const persona = app.personaOf(index)?.persona;
        return persona?.name === name && (kind === undefined || persona.kind === kind);
      })
      .map((index) => new NodeClient(`${loopbackHost(index)}:${app.port}`, '', { tls }));
  return { app, clients, client: (name, kind) => clients(name, kind)[0] ?? expect.fail(`no ${name}`) };
}

test('all of them report, under names that say what they are, and the log says how many there are', async () => {
  const lines = new PassThrough();
  let logged = '';
  lines.on('data', (chunk) => {
    logged += chunk;
  });
  const log = loggerTo(lines, { service: 'mock-node', site: 'default', level: 'info' });
  const registry = await startRegistry();
  await startSwarm(20, everyone, { log, flags: ['--discovery', registry.address] });
  const told = '"healthy":3,"slow":1,"dead":2,"flapping":1,"looping":2,"cloned":2,"lying":8,"ageing":1';
  expect(logged).toContain(told);
  const names = () => new Set(registry.reports.map(({ identity }) => identity));
  await expect.poll(() => names().size, patience).toBe(19);
  expect([...names()].filter((name) => /^node-000\d\d-dead\.swarm\.local$/.test(name))).toHaveLength(2);
});

describe.each(['insecure', 'required'])('with --tls-mode %s', (mode) => {
  const flags = [`--tls-mode=${mode}`];

  test('dead nodes refuse connections, or never answer', async () => {
    const swarm = await startSwarm(4, 'dead=1,healthy=1', { flags });
    await expect(swarm.client('dead', 'refusing').identify()).rejects.toMatchObject({
      code: status.UNAVAILABLE,
    });
    const asked = swarm.client('dead', 'silent').call('Identify', {}, new Metadata(), 500);
    await expect(asked).rejects.toMatchObject({ code: status.DEADLINE_EXCEEDED });
    expect(await swarm.client('healthy').identify()).toMatchObject({ provisioning: true });
    const began = performance.now();
    await swarm.app.stop();
    expect(performance.now() - began).toBeLessThan(900);
  });
});

test('a slow node takes its time for everything', async () => {
  const slow = (await startSwarm(1, 'slow=1', { random: () => 0.6 })).client('slow');
  const began = performance.now();
  expect(await slow.identify()).toMatchObject({ provisioning: true });
  const identified = performance.now() - began;
  expect(identified).toBeGreaterThanOrEqual(199);
  expect(identified).toBeLessThan(2_000);
  await slow.call('GetInventory', {}, await slow.authority(newRun()));
  expect(performance.now() - began - identified).toBeGreaterThanOrEqual(398);
});

test('a flapping node is another boot now and then, until it came up configured', async () => {
  // Each boot lasts 5 s on average; so little of it as this is 50 ms.
  const swarm = await startSwarm(1, 'flapping=1', { random: () => 0.01 });
  const flapping = swarm.client('flapping');
  const boots = new Set<unknown>();
  const look = async () => {
    await flapping.identify().then(
      ({ boot_id }) => boots.add(boot_id),
      () => {},
    );
    return boots.size;
  };
  await expect.poll(look, patience).toBeGreaterThan(2);
  const configured = async () => {
    const run = newRun();
    await flapping.as(run, 'Configure', provisioned).catch(() => {});
    return swarm.app.swarm.counts.CONFIGURED;
  };
  await expect.poll(configured, patience).toBe(1);
});

test('looping nodes refuse to restart, or come back in provisioning mode', async () => {
  const swarm = await startSwarm(2, 'looping=1');
  const [refusing, returning] = [swarm.client('looping', 'refusing'), swarm.client('looping', 'returning')];
  const run = newRun();
  await refusing.as(run, 'Configure', provisioned);
  expect(await refusing.refusal(run, 'Restart')).toMatchObject({ reason: 'PROVISIONING_ENABLED' });
  const before = await returning.identify();
  await returning.as(run, 'Configure', provisioned);
  await returning.as(run, 'Restart');
  const boot = async () => (await returning.identify().catch(() => before)).boot_id;
  await expect.poll(boot, patience).not.toBe(before.boot_id);
  expect(await returning.identify()).toMatchObject({ provisioning: true });
});

test('clones are two machines, each with a disk of its own, under one name', async () => {
  const swarm = await startSwarm(2, 'cloned=1');
  const [one, other] = swarm.clients('cloned');
  if (one === undefined || other === undefined) expect.fail('no pair');
  const [first, second] = [await one.identify(), await other.identify()];
  expect(first.identity).toBe('node-00001-cloned.swarm.local');
  expect(second.identity).toBe(first.identity);
  expect(second.boot_id).not.toBe(first.boot_id);
  const run = newRun();
  await one.as(run, 'Configure', provisioned);
  await one.as(run, 'Restart');
  await expect.poll(() => swarm.app.swarm.counts, patience).toMatchObject({ CONFIGURED: 1, PROVISIONING: 1 });
  expect(await other.as(newRun(), 'GetRunStatus', { run_id: run.runId })).toMatchObject({
    stage: 'RUN_STAGE_NONE',
  });
});

test('an ageing node has an old release, and can be upgraded', async () => {
  const ageing = (await startSwarm(1, 'ageing=1', { flags: ['--upgradable=no'] })).client('ageing');
  const old = { version: '0.0.1-old' };
  expect(await ageing.identify()).toMatchObject(old);
  expect(await ageing.as(newRun(), 'GetInventory')).toMatchObject({ ...old, upgradable: true });
});

test('liars lie, each in its way', async () => {
  const swarm = await startSwarm(8, 'lying=1');
  const liar = (kind: string) => swarm.client('lying', kind);
  const run = newRun();
  await expect(liar('garbage').as(run, 'GetInventory')).rejects.toMatchObject({ code: status.INTERNAL });
  const { identity } = await liar('wrong-identity').identify();
  expect(identity).not.toBe('node-00005-lying.swarm.local');

  const honest = await liar('garbage').as(run, 'Configure', provisioned);
  for (const kind of ['wrong-digest', 'wrong-signature']) {
    const { configuration_digest: told } = await liar(kind).as(run, 'Configure', provisioned);
    expect(told, kind).not.toEqual(honest.configuration_digest);
  }
  const record = await liar('wrong-digest').as(run, 'GetRunStatus', { run_id: run.runId });
  expect(record.configuration_digest).not.toEqual(honest.configuration_digest);

  const still = liar('no-restart');
  await still.as(run, 'Configure', provisioned);
  await still.as(run, 'Restart');
  expect(await still.identify()).toMatchObject({ provisioning: true });
  await still.as(run, 'GetInventory');
  const nonce = Buffer.alloc(32, 1);
  expect(await liar('short-key').as(run, 'GenerateEd25519Key', { nonce })).toMatchObject({
    public_key: expect.objectContaining({ length: 31 }),
  });
});

test('what is ordered comes before what a node does of itself', async () => {
  const flags = ['--fault', 'inventory:error:ABORTED:x1', '--fault', 'inventory:drop-reply:x1'];
  const liar = (await startSwarm(8, 'lying=1', { flags })).client('lying', 'garbage');
  for (const code of [status.ABORTED, status.UNAVAILABLE, status.INTERNAL]) {
    await expect(liar.as(newRun(), 'GetInventory')).rejects.toMatchObject({ code });
  }
});
