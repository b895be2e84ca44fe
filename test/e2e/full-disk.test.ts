// The disk of the event log is full: provisioning goes on, what is lost is counted and told, and the log is written again
// when there is room. Real processes, with a small tmpfs mounted over data_dir.

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { credentials } from '@grpc/grpc-js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { builtFile } from '../../cli/launch/project.js';
import type { Stack } from '../../cli/launch/stack.js';
import { until } from '../../cli/launch/until.js';
import { GapReason } from '../../shared/gen/slipway/provisioner/v1/events.js';
import {
  type LogStatus,
  ProvisionerServiceClient,
} from '../../shared/gen/slipway/provisioner/v1/provisioner.js';
import { callUnary } from '../../shared/grpc/call.js';
import { serviceChannelOptions } from '../../shared/grpc/channel.js';
import { mayMount, SmallDisk } from '../fakes/small-disk.js';
import { startAnotherSwarm } from './another-swarm.js';
import { untilConfirmed } from './confirmed.js';
import { type Heard, hearEvents } from './heard-events.js';
import { prepareStack, testHelper } from './workspace.js';

const patienceMs = 60_000;
const wave = 20;

describe.skipIf(!mayMount)('a full disk', () => {
  test('stops no provisioning: what is lost is counted, shown and told as one gap, and the log goes on', async () => {
    const { stack, disk } = await prepareSite();
    await stack.startAll();
    await untilConfirmed(stack, wave, patienceMs);
    const heard = hearEvents(stack);
    const before = await untilUpToDate(stack, heard);

    disk.fill();
    await untilFailing(stack);
    await moreNodes(stack, 'second');
    await untilConfirmed(stack, 2 * wave, patienceMs);
    const failing = await untilLog(stack, 'events are lost', (log) => log.lost > wave);
    expect(failing).toMatchObject({
      failing: true,
      error: expect.stringMatching(/^no space is left on the disk of /),
    });
    expect(await readyz(stack)).toMatch(
      /^ok, but the event log is not written: no space is left on the disk of /,
    );
    const metrics = await stack.metrics('provisioner');
    expect(metrics?.sum('slipway_provisioner_events_lost_total')).toBeGreaterThan(wave);
    expect(await slipwayStatus(stack)).toMatch(
      /cannot be written: no space is left[\s\S]*events could not be written and are lost/,
    );
    expect(heard.gaps).toEqual([]);

    disk.empty();
    const { lost } = await untilLog(stack, 'the log is written again', (log) => !log.failing);
    await moreNodes(stack, 'third');
    await untilConfirmed(stack, 3 * wave, patienceMs);
    await untilUpToDate(stack, heard);
    expect(await readyz(stack)).toBe('ok');
    expect(heard.gaps).toHaveLength(1);
    const [gap] = heard.gaps;
    expect(gap?.reason).toBe(GapReason.WRITE_FAILED);
    expect(gap?.first).toBeGreaterThan(before);
    expect(BigInt((gap?.last ?? 0) - (gap?.first ?? 0) + 1)).toBe(lost);
    expect(heard.fault).toBe('');
  });

  test('ends no provisioner that is killed and started again, and pausing says that it is not kept', async () => {
    const { stack, disk } = await prepareSite();
    await stack.startAll();
    await untilConfirmed(stack, wave, patienceMs);
    const { logId, last } = await logStatus(stack);
    disk.fill();
    await stack.end('provisioner', 'SIGKILL');
    await stack.start('provisioner');
    expect(await logStatus(stack)).toMatchObject({ logId });

    await expect(pause(stack, 'why')).rejects.toThrow(
      /it took effect, but a restart will not know of it: ENOSPC/,
    );
    await resume(stack);
    await untilFailing(stack);
    await moreNodes(stack, 'second');
    await untilProvisioned(stack, wave);
    expect(await readyz(stack)).toMatch(/^ok, but the event log is not written: no space is left/);
    disk.empty();
    await untilLog(stack, 'the log is written again', (log) => !log.failing);
    const heard = hearEvents(stack);
    await untilUpToDate(stack, heard);
    expect(heard.fault).toBe('');
    expect(heard.last).toBeGreaterThan(Number(last));
  });

  test('refuses the start where there is no log yet, and says what to do', async () => {
    const { stack, disk } = await prepareSite();
    disk.fill();
    const { exited, logFile } = await stack.start('provisioner', { untilReady: false });
    expect(await exited).toEqual({ code: 1, signal: null });
    const events = join(disk.folder, 'events');
    expect(readFileSync(logFile, 'utf8')).toContain(
      `cannot start: the event log in ${events} cannot be opened: no space is left on the disk of ${events}; make room`,
    );
  });
});

/** A site without TLS whose provisioner keeps what it has on a disk of its own. */
async function prepareSite() {
  const stack = await prepareStack({
    nodes: wave,
    helper: testHelper('stamped.sh'),
    discovery: { interval: '2s' },
    provisioner: { interval: '2s' },
  });
  return { stack, disk: SmallDisk.mount(join(stack.directory, 'provisioner-data'), '4m') };
}

async function moreNodes(stack: Stack, name: string): Promise<void> {
  await startAnotherSwarm(stack, { name, nodes: wave, flags: ['--tls-mode', 'insecure'] });
}

/** Resolves when the provisioner that runs now has provisioned so many. */
async function untilProvisioned(stack: Stack, nodes: number): Promise<void> {
  const runs = async () =>
    (await stack.metrics('provisioner'))?.sum('slipway_provisioner_runs_total', { outcome: 'PROVISIONED' });
  await until(async () => ((await runs()) ?? 0) >= nodes, {
    what: `${nodes} nodes provisioned in ${stack.directory}`,
    timeoutMs: patienceMs,
  });
}

/** @throws RpcError */
async function pause(stack: Stack, message: string): Promise<void> {
  const client = connectProvisioner(stack);
  await callUnary(client.pause.bind(client), { message }, { timeoutMs: 10_000 });
}

async function resume(stack: Stack): Promise<void> {
  const client = connectProvisioner(stack);
  await callUnary(client.resume.bind(client), { message: '' }, { timeoutMs: 10_000 });
}

/** Has events happen until there is no room for them, also not in the file of the log, which is longer than it must be. */
async function untilFailing(stack: Stack): Promise<void> {
  await until(
    async () => {
      await pause(stack, 'x'.repeat(1_000)).catch(() => {});
      await resume(stack);
      return (await logStatus(stack)).failing;
    },
    { what: 'the log cannot be written', timeoutMs: patienceMs, everyMs: 0 },
  );
}

function connectProvisioner(stack: Stack): ProvisionerServiceClient {
  const client = new ProvisionerServiceClient(
    `127.0.0.1:${stack.ports.provisioner}`,
    credentials.createInsecure(),
    serviceChannelOptions,
  );
  onTestFinished(() => client.close());
  return client;
}

/** What GetStatus says of the log. */
async function logStatus(stack: Stack): Promise<LogStatus> {
  const client = connectProvisioner(stack);
  const { log } = await callUnary(client.getStatus.bind(client), {}, { timeoutMs: 10_000 });
  if (log === undefined) throw new Error('the status has no log');
  return log;
}

async function untilLog(stack: Stack, what: string, is: (log: LogStatus) => boolean): Promise<LogStatus> {
  const look = async () => {
    const log = await logStatus(stack);
    return is(log) && log;
  };
  return until(look, { what, timeoutMs: patienceMs, everyMs: 200 });
}

/** Resolves when the subscriber has been told of all that is in the log. @returns the last number */
async function untilUpToDate(stack: Stack, heard: Heard): Promise<number> {
  await untilLog(
    stack,
    'the subscriber has heard of all',
    ({ last }) => last > 0n && Number(last) === heard.last,
  );
  return heard.last;
}

async function readyz(stack: Stack): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${stack.ports.provisionerMonitor}/readyz`);
  return (await response.text()).trimEnd();
}

/** What `slipway status` prints. */
async function slipwayStatus(stack: Stack): Promise<string> {
  const address = `127.0.0.1:${stack.ports.provisioner}`;
  const args = [builtFile('cli/main.js'), 'status', '--provisioner', address, '--insecure'];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return stdout;
}
