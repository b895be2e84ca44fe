// The process of a swarm killed with SIGKILL and started again on the same folder.

import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { readNodeState } from '../../services/mock-node/state/read-node-state.js';
import { loopbackHost } from '../../services/mock-node/swarm/names.js';
import { configureRequest, NodeClient, newRun, patience, temporaryFolder } from './mock-node-support.js';

const main = join(import.meta.dirname, '../../services/mock-node/main.ts');
const follow = pathToFileURL(join(import.meta.dirname, '../../cli/launch/follow-launcher.ts')).href;

interface Process {
  readonly child: ChildProcess;
  readonly port: number;
}

async function startProcess(...flags: string[]): Promise<Process> {
  const usual = ['--tls-mode=insecure', '--listen=0.0.0.0:0', '--start-within=0s', '--down-time=20ms'];
  const child = spawn(process.execPath, ['--import', 'tsx', '--import', follow, main, ...usual, ...flags], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  let output = '';
  child.stdout?.on('data', (chunk) => {
    output += chunk;
  });
  await expect.poll(() => output, patience).toContain('all nodes are up');
  const port = /"addresses":\{"nodes":"0\.0\.0\.0:(\d+)"/.exec(output)?.[1];
  return { child, port: Number(port) };
}

function ended(child: ChildProcess): Promise<[number | null, NodeJS.Signals | null]> {
  return new Promise((resolve) => child.once('exit', (code, signal) => resolve([code, signal])));
}

test('every node comes back whole, as what was committed before the kill', { timeout: 90_000 }, async () => {
  const nodes = 60;
  const directory = temporaryFolder();
  const flags = [`--nodes=${nodes}`, '--dir', directory];
  const first = await startProcess(...flags);
  const acknowledged = new Set<number>();
  const calls = Array.from({ length: nodes }, async (_, index) => {
    const node = new NodeClient(`${loopbackHost(index)}:${first.port}`);
    const run = newRun();
    await node.as(run, 'GetInventory');
    await node.as(run, 'Configure', configureRequest());
    acknowledged.add(index);
    if (acknowledged.size === nodes / 2) first.child.kill('SIGKILL');
    await node.as(run, 'Restart');
  });
  const killed = ended(first.child);
  await Promise.allSettled(calls);
  expect(await killed).toEqual([null, 'SIGKILL']);
  expect(acknowledged.size).toBeLessThanOrEqual(nodes);

  const second = await startProcess(...flags);
  for (let index = 0; index < nodes; index++) {
    const identity = `node-${String(index + 1).padStart(5, '0')}.swarm.local`;
    const onDisk = await readNodeState(join(directory, identity));
    expect(onDisk.problems).toEqual([]);
    expect(onDisk.status === 'INSTALLED').toBe(onDisk.configurations === 1);
    if (acknowledged.has(index)) expect(onDisk).toMatchObject({ configurations: 1, confirmed: true });
    const node = new NodeClient(`${loopbackHost(index)}:${second.port}`);
    expect(await node.identify()).toMatchObject({ identity, provisioning: !onDisk.confirmed });
  }
  const stopped = ended(second.child);
  second.child.kill('SIGTERM');
  expect(await stopped).toEqual([0, null]);
});

test('no node comes back with a token for another seed than it has', { timeout: 90_000 }, async () => {
  const nodes = 20;
  const directory = temporaryFolder();
  const flags = [`--nodes=${nodes}`, '--dir', directory];
  const first = await startProcess(...flags);
  let made = 0;
  const calls = Array.from({ length: nodes }, async (_, index) => {
    const node = new NodeClient(`${loopbackHost(index)}:${first.port}`);
    const run = newRun();
    // Nodes that are at it when they are killed: with a key, with a token for it that waits, with the next key.
    for (let pass = 0; pass < 10; pass++) {
      const { public_key } = await node.as(run, 'GenerateEd25519Key', { nonce: randomBytes(32) });
      const server_jwt = tokenFor(public_key as Buffer);
      await node.as(run, 'Configure', { ...configureRequest(), server_jwt });
      made++;
      if (made === 2 * nodes) first.child.kill('SIGKILL');
    }
  });
  const killed = ended(first.child);
  await Promise.allSettled(calls);
  expect(await killed).toEqual([null, 'SIGKILL']);

  await startProcess(...flags);
  const statuses = new Set<string>();
  for (let index = 0; index < nodes; index++) {
    const identity = `node-${String(index + 1).padStart(5, '0')}.swarm.local`;
    const onDisk = await readNodeState(join(directory, identity));
    expect(onDisk.problems).toEqual([]);
    statuses.add(onDisk.status);
  }
  expect([...statuses]).toContain('INSTALLED');
});

/** A token as a node looks at it: for this key, whoever signed it. */
function tokenFor(publicKey: Buffer): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'EdDSA' })}.${part({ public_key: publicKey.toString('hex') })}.AA`;
}

test('a node that is shut down ends its process with 0', async () => {
  const { child, port } = await startProcess('--identity=web-1');
  const stopped = ended(child);
  await new NodeClient(`127.0.0.1:${port}`).as(newRun(), 'Shutdown');
  expect(await stopped).toEqual([0, null]);
});
