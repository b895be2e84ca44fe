// How faults are ordered while nodes run, of which nodes, and what is said of them.

import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { status } from '@grpc/grpc-js';
import { expect, onTestFinished, test } from 'vitest';
import { freePorts } from '../../cli/launch/ports.js';
import { createApp } from '../../services/mock-node/app.js';
import { FlagError, parseFlags } from '../../services/mock-node/config.js';
import { parseFaults } from '../../services/mock-node/faults/parse.js';
import { loopbackHost } from '../../services/mock-node/swarm/names.js';
import { type Logger, loggerTo, silentLogger } from '../../shared/logger.js';
import {
  configureRequest,
  NodeClient,
  newRun,
  patience,
  startMockNode,
  startRegistry,
  temporaryFolder,
} from './mock-node-support.js';

/** A log, and the lines that were written to it. */
function recorded(): [log: Logger, lines: () => Record<string, unknown>[]] {
  const stream = new PassThrough();
  let logged = '';
  stream.on('data', (chunk) => {
    logged += chunk;
  });
  const log = loggerTo(stream, { service: 'mock-node', site: 'default', level: 'info' });
  return [
    log,
    () =>
      logged
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
  ];
}

function faultFile(content: string): string {
  const path = join(temporaryFolder(), 'faults');
  writeFileSync(path, content);
  return path;
}

function codeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'OK',
    ({ code }) => status[code] ?? String(code),
  );
}

test('faults of a file are added to those of the flags, and change with the file', async () => {
  const [log, lines] = recorded();
  const path = faultFile('# none yet\n');
  const { monitor } = await freePorts(['monitor']);
  const monitored = ['--monitor-host=127.0.0.1', `--monitor-port=${monitor}`];
  const app = await startMockNode({
    log,
    flags: ['--fault', 'jwt:error:ABORTED', '--fault', 'csr:hang', '--fault-file', path, ...monitored],
  });
  expect(lines()).toContainEqual(
    expect.objectContaining({
      level: 'warn',
      msg: 'faults are in force, and nodes misbehave as they say: jwt:error:ABORTED, csr:hang',
    }),
  );
  const node = new NodeClient(`127.0.0.1:${app.port}`);
  expect(await codeOf(node.identify())).toBe('OK');
  writeFileSync(path, 'identify:error:DATA_LOSS # from now on\n');
  await expect.poll(() => codeOf(node.identify()), patience).toBe('DATA_LOSS');
  expect(lines()).toContainEqual(
    expect.objectContaining({
      level: 'info',
      msg: 'faults: jwt:error:ABORTED, csr:hang, identify:error:DATA_LOSS',
    }),
  );
  expect(lines()).toContainEqual(
    expect.objectContaining({
      level: 'info',
      identity: 'web-1.example.net',
      rpc: 'identify',
      fault: 'error:DATA_LOSS',
      msg: 'fault: identify:error:DATA_LOSS',
    }),
  );
  writeFileSync(path, 'jwt:hang\nidentify:errror:DATA_LOSS\n');
  const complaint =
    /^--fault-file .*faults line 2: .*did you mean error\?; the faults that were there before/;
  await expect
    .poll(lines, patience)
    .toContainEqual(expect.objectContaining({ level: 'warn', msg: expect.stringMatching(complaint) }));
  expect(await codeOf(node.identify())).toBe('DATA_LOSS');
  app.faults.set([]);
  expect(await codeOf(node.identify())).toBe('OK');
  expect(lines().at(-1)).toMatchObject({ msg: 'faults: none' });
  const metrics = await (await fetch(`http://${app.addresses.monitor}/metrics`)).text();
  expect(metrics).toMatch(/^slipway_mock_node_faults_total\{fault="error",site="default"\} [1-9]/m);
  expect(metrics).toContain('slipway_mock_node_faults_total{fault="drop-reply",site="default"} 0');
});

test('a node that is told nothing of faults says nothing of them', async () => {
  const [log, lines] = recorded();
  await startMockNode({ log, flags: ['--fault-file', faultFile('')] });
  expect(lines().filter(({ msg }) => String(msg).includes('fault'))).toEqual([]);
});

test('faults that cannot be used are told at the start, each of them', async () => {
  const flags = [
    '--tls-mode=insecure',
    '--fault',
    'jwt:hang,key:hnag',
    '--fault',
    'update:hang:7',
    '--fault-file',
    '',
  ];
  const parsed = () => parseFlags(flags, 'web-1');
  expect(parsed).toThrow(FlagError);
  expect(parsed).toThrow(/^--fault-file needs a path\n--fault "key:hnag": .*\n--fault "update:hang:7": .*$/);
  const path = faultFile('jwt:hang\n\nkey\n');
  const config = parseFlags(['--tls-mode=insecure', '--listen=127.0.0.1:0', '--fault-file', path], 'web-1');
  if (config === undefined) expect.fail('help was asked for');
  await expect(createApp(config, silentLogger())).rejects.toThrow(
    `--fault-file ${path} line 3: "key": expected [IDENTITY/]RPC:KIND`,
  );
});

test('a crash of one node of a swarm touches no other, also of the same caller', async () => {
  const registry = await startRegistry();
  const app = await startMockNode({ flags: ['--nodes=2', '--discovery', registry.address] });
  app.faults.set(parseFaults('node-00001.*/configure:crash-after,jwt:hang').faults);
  const [first, second] = [0, 1].map((index) => new NodeClient(`${loopbackHost(index)}:${app.port}`));
  if (first === undefined || second === undefined) expect.fail('no clients');
  const run = newRun();
  const neighbour = second.call('GetJwt', {}, await second.authority(run), 1_000);
  const outcome = codeOf(neighbour);
  const request = configureRequest();
  expect(await codeOf(first.as(run, 'Configure', request))).toBe('UNAVAILABLE');
  await expect.poll(() => app.swarm.counts, patience).toMatchObject({ CONFIGURED: 1, PROVISIONING: 1 });
  expect(await codeOf(second.as(run, 'Configure', request))).toBe('OK');
  expect(await outcome).toBe('DEADLINE_EXCEEDED');
  await expect.poll(() => registry.reports.length, patience).toBe(3);
  // A crash is not announced.
  expect(registry.reports.at(-1)).toMatchObject({
    identity: 'node-00001.swarm.local',
    type: 'REPORT_TYPE_PROVISIONED',
    run_id: run.runId,
  });
});

test('a node with a port of its own crashes alone', async () => {
  const registry = await startRegistry();
  const flags = ['--nodes=2', '--addresses=ports', '--advertise-host=127.0.0.1'];
  const app = await startMockNode({
    flags: [...flags, '--discovery', registry.address, '--fault', 'node-00001.*/inventory:crash-before'],
  });
  await expect.poll(() => registry.reports.length, patience).toBe(2);
  const run = newRun();
  const inventory = registry.reports.map(async ({ identity, port }) => {
    const node = new NodeClient(`127.0.0.1:${port}`);
    return [identity, await codeOf(node.as(run, 'GetInventory'))];
  });
  expect(Object.fromEntries(await Promise.all(inventory))).toEqual({
    'node-00001.swarm.local': 'UNAVAILABLE',
    'node-00002.swarm.local': 'OK',
  });
  await expect.poll(() => app.swarm.counts.PROVISIONING, patience).toBe(2);
});

test('SIGHUP has the process read its file at once, and does not end it', async () => {
  const main = join(import.meta.dirname, '../../services/mock-node/main.ts');
  const follow = pathToFileURL(join(import.meta.dirname, '../../cli/launch/follow-launcher.ts')).href;
  const path = faultFile('');
  const flags = ['--tls-mode=insecure', '--listen=127.0.0.1:0', '--start-within=0s', '--fault-file', path];
  const child = spawn(process.execPath, ['--import', 'tsx', '--import', follow, main, ...flags], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  await expect.poll(() => output, patience).toContain('all nodes are up');
  for (const list of ['jwt:hang', 'key:hang', 'csr:hang']) {
    writeFileSync(path, list);
    child.kill('SIGHUP');
    await expect.poll(() => output, patience).toContain(`"msg":"faults: ${list}"`);
  }
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
});
