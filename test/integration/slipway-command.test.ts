// The slipway command as a process: standard input, exit codes, and the folder that it is called from.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import {
  Event,
  type WatchEventsRequest,
  type WatchEventsResponse,
} from '../../shared/gen/slipway/provisioner/v1/events.js';
import { serverStream } from '../../shared/grpc/handler.js';
import { silentLogger } from '../../shared/logger.js';
import { startFakeServices } from '../fakes/fake-provisioner.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-command-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

const command = ['--import', join(root, 'node_modules/tsx/dist/esm/index.mjs'), join(root, 'cli/main.ts')];

function run(args: readonly string[], input = '') {
  return spawnSync(process.execPath, [...command, ...args], { cwd: folder, input, encoding: 'utf8' });
}

/** Starts one that goes on until it is stopped. */
function start(args: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, [...command, ...args], { cwd: folder });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** Resolves when a stream has said that; what comes after is read as well, so that nobody waits for a reader. */
function said(stream: ChildProcess['stdout'], text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let all = '';
    stream?.on('data', (bytes: Buffer) => {
      if (all.includes(text)) return;
      all += bytes;
      if (all.includes(text)) resolve();
    });
    stream?.on('close', () => reject(new Error(`ended without ${JSON.stringify(text)}: ${all}`)));
  });
}

/** The address of a provisioner whose events never end. */
async function endlessEvents(): Promise<string> {
  const logId = '0192f0c0-0000-4000-8000-000000000001';
  const watchEvents = serverStream<WatchEventsRequest, WatchEventsResponse>(
    silentLogger(),
    async (_, { signal }, write) => {
      for (let sequence = 1n; !signal.aborted; sequence++) {
        const events = [Event.create({ sequence, identity: `n${sequence}` })];
        await write({ message: { $case: 'events', value: { logId, events } } });
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  );
  return (await startFakeServices({ events: { watchEvents } })).address;
}

test('a token comes from standard input, and the exit code says what it is worth', () => {
  const own = run(['keys', 'new', 'site.seed']).stdout.trim();
  const other = run(['keys', 'new', 'other.seed']).stdout.trim();
  expect(run(['token', 'provisioning', 'node.jwt', '--signing-key', 'site.seed']).status).toBe(0);
  const token = readFileSync(join(folder, 'node.jwt'), 'utf8');
  expect(run(['token', 'verify', '-', '--key', own], token)).toMatchObject({ status: 0, stderr: '' });
  expect(run(['token', 'verify', '-', '--key', other], token)).toMatchObject({ status: 1, stdout: '' });
  expect(run(['token', 'verify', '-'], token)).toMatchObject({ status: 2, stdout: '' });
});

test('paths are meant from the folder that it is called from, also as a script of npm', () => {
  expect(run(['keys', 'new', 'here.seed']).status).toBe(0);
  const { status, stderr } = spawnSync(
    'npm',
    ['run', '--silent', '--prefix', root, 'slipway', '--', 'keys', 'new', 'there.seed'],
    { cwd: folder, encoding: 'utf8' },
  );
  expect(status, stderr).toBe(0);
  for (const name of ['here.seed', 'there.seed']) expect(existsSync(join(folder, name))).toBe(true);
});

test('what follows events ends well on a signal', async () => {
  const child = start(['events', '--follow', '--insecure', '--provisioner', await endlessEvents()]);
  const exited = once(child, 'exit');
  const place = said(child.stderr, 'to go on from here: --after 0192f0c0-0000-4000-8000-000000000001:');
  await said(child.stdout, 'n1');
  child.kill('SIGINT');
  await place;
  expect(await exited).toEqual([0, null]);
});

test('what follows events ends when nobody reads along any more', async () => {
  const child = start(['events', '--follow', '--insecure', '--provisioner', await endlessEvents()]);
  const exited = once(child, 'exit');
  await said(child.stdout, 'n1');
  child.stdout?.destroy();
  expect(await exited).toEqual([0, null]);
});

test('services run in its process, with their flags and exit codes', () => {
  expect(run(['mock-node', '--help'])).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('slipway mock-node'),
  });
  expect(run(['mock-node', '--nods', '3'])).toMatchObject({ status: 2, stdout: '' });
  expect(run(['provisioner', '--version']).stdout).toMatch(/^slipway provisioner \d/);
});

test('a service stops as it does alone', async () => {
  const child = start(['mock-node', '--listen', '127.0.0.1:0', '--tls-mode', 'insecure', '--identity', 'n1']);
  const exited = once(child, 'exit');
  await said(child.stdout, '"started"');
  child.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
});
