import { beforeEach, describe, expect, test } from 'vitest';
import { newBootId, newRunId, parseIdentity, type RunId } from '../../../shared/identity.js';
import { silentLogger } from '../../../shared/logger.js';
import { Secret } from '../../../shared/secret.js';
import { proof } from '../../../shared/trust/proof.js';
import { agentConfiguration } from '../../../test/fakes/agent-configurations.js';
import { CrashingFiles } from '../../../test/fakes/crashing-files.js';
import { FakeClock, settle } from '../../../test/fakes/fake-clock.js';
import { Slots } from '../slots.js';
import { NodeStore } from '../state/node-store.js';
import { readNodeState } from '../state/read-node-state.js';
import { Agent } from './agent.js';
import type { Call, PendingStop } from './call.js';
import type { Configuration } from './configuration.js';
import { DownError, RefusedError } from './refusal.js';

const identity = parseIdentity('web-1') ?? fail();
const directory = '/nodes/web-1';
const challenge = new Uint8Array(32).fill(7);

function fail(): never {
  throw new Error('not an identity');
}

let clock: FakeClock;
let files: CrashingFiles;
let stops: PendingStop[];
let commits: number;
let bootId = newBootId();

beforeEach(async () => {
  clock = new FakeClock();
  files = new CrashingFiles();
  stops = [];
  commits = 0;
});

async function boot(secret?: string): Promise<Agent> {
  const store = new NodeStore({ identity, directory, files, disk: new Slots(4) });
  const { provisioning } = await store.open(false, clock.now());
  bootId = newBootId();
  return new Agent({
    identity,
    bootId,
    challenge,
    version: '1.0',
    secret: secret === undefined ? undefined : new Secret(secret),
    provisioning,
    provisioningByDefault: false,
    store,
    clock,
    random: () => 0.5,
    log: silentLogger(),
    onStopAccepted: (stop) => stops.push(stop),
    onCommitted: () => commits++,
  });
}

interface Run {
  readonly runId: RunId;
  readonly fence: bigint;
}

let fence = 1n;

function newRun(): Run {
  return { runId: newRunId(), fence: ++fence };
}

function callOf(
  run: Run,
  changes: Partial<Call['caller']> = {},
  signal = new AbortController().signal,
): Call {
  return {
    caller: {
      identity,
      boot: bootId,
      proof: '',
      site: 'default',
      provisioner: 'p1',
      run: run.runId,
      fence: run.fence,
      ...changes,
    },
    signal,
  };
}

function configuration(version: number, more: Record<string, string> = {}): Configuration {
  return agentConfiguration({
    digest: version.toString(16).padStart(64, '0'),
    configurationJson: JSON.stringify({ version: String(version), ...more }),
    actionPolicies: new Map([['a.policy', `policy ${version}`]]),
  });
}

async function reasonOf(call: Promise<unknown>): Promise<string> {
  return await call.then(
    () => 'done',
    (error) => (error instanceof RefusedError ? error.reason : String(error)),
  );
}

/** Makes the next write of a path that matches wait until the returned function is called. */
function holdWrites(matching: RegExp): () => void {
  let release: () => void = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  files.beforeWrite = (path) => (matching.test(path) ? released : Promise.resolve());
  return release;
}

test('a run configures and restarts the node, and the next boot knows it', async () => {
  const agent = await boot();
  const run = newRun();
  expect(agent.identify()).toMatchObject({ identity, bootId, provisioning: true });
  expect(await agent.getInventory(callOf(run))).toMatchObject({ version: '1.0', upgradable: false });
  expect(await agent.getRunStatus(callOf(run), run.runId)).toBeUndefined();
  await agent.configure(callOf(run), configuration(1));
  expect(await agent.getRunStatus(callOf(run), run.runId)).toMatchObject({ stage: 'CONFIGURED' });
  expect(await agent.restart(callOf(run), 1_000)).toBe(500);
  expect(stops).toEqual([{ rpc: 'Restart', runId: run.runId, at: clock.monotonic() + 500 }]);
  expect(agent.identify().provisioning).toBe(false);
  expect(await agent.getRunStatus(callOf(run), run.runId)).toMatchObject({ stage: 'RESTARTING' });
  await agent.stop();

  const next = await boot();
  expect(next.identify()).toMatchObject({ bootId, provisioning: false });
  expect(await next.getRunStatus(callOf(run), run.runId.toUpperCase())).toMatchObject({
    stage: 'CONFIRMED',
    configurationDigest: configuration(1).digest,
  });
  expect(commits).toBe(1);
});

test('the facts of the inventory are JSON that a double would change', async () => {
  const agent = await boot();
  const { factsJson, machinesJson } = await agent.getInventory(callOf(newRun()));
  expect(JSON.parse(factsJson)).toMatchObject({ fqdn: identity });
  expect(factsJson).toContain('9007199254740994');
  expect(JSON.stringify(JSON.parse(factsJson.replace('994', '993')))).not.toContain('9007199254740993');
  expect(JSON.parse(machinesJson)).toEqual([]);
});

describe('a secret', () => {
  test('asks for a proof bound to this boot, and lets configured nodes be restarted', async () => {
    const agent = await boot('s3cret');
    const run = newRun();
    const right = proof({ secret: 's3cret', identity, runId: run.runId, challenge, certificateSha256: '' });
    const wrong = proof({ secret: 'other', identity, runId: run.runId, challenge, certificateSha256: '' });
    expect(await reasonOf(agent.getInventory(callOf(run, { proof: wrong })))).toBe('PROOF_INVALID');
    expect(await reasonOf(agent.getInventory(callOf(run)))).toBe('PROOF_INVALID');
    expect(await reasonOf(agent.getInventory(callOf(run, { proof: right })))).toBe('done');
  });
});

describe('a configuration', () => {
  test('of the same content counts once and becomes the later run’s', async () => {
    const agent = await boot();
    const first = newRun();
    const second = newRun();
    await agent.configure(callOf(first), configuration(1));
    await agent.configure(callOf(second), configuration(1));
    expect(commits).toBe(1);
    expect(await readNodeState(directory, files)).toMatchObject({
      configurations: 1,
      runId: second.runId,
      stage: 'CONFIGURED',
    });
  });

  test('of other content replaces the one that waits', async () => {
    const agent = await boot();
    await agent.configure(callOf(newRun()), configuration(1));
    await agent.configure(callOf(newRun()), configuration(2));
    expect(commits).toBe(2);
    await agent.stop();
    await boot();
    const onDisk = await readNodeState(directory, files);
    expect(onDisk).toMatchObject({ configurations: 2, digest: configuration(2).digest, problems: [] });
    expect(onDisk.settings.get('version')).toBe('2');
  });

  test('that is refused is remembered as the run’s failure', async () => {
    const agent = await boot();
    const run = newRun();
    const bad = { ...configuration(1), configurationJson: '{}' };
    expect(await reasonOf(agent.configure(callOf(run), bad))).toBe('ARGUMENT_INVALID');
    expect(await agent.getRunStatus(callOf(run), run.runId)).toMatchObject({ stage: 'FAILED' });
    await agent.stop();
    const next = await boot();
    expect(await next.getRunStatus(callOf(run), run.runId)).toMatchObject({
      stage: 'FAILED',
      configurationDigest: '',
    });
  });

  test('that the disk does not take is a failure and leaves the one before', async () => {
    const agent = await boot();
    const run = newRun();
    await agent.configure(callOf(run), configuration(1));
    files.beforeWrite = (path) =>
      path.endsWith('/1') ? Promise.reject(new Error('no space left')) : Promise.resolve();
    await expect(agent.configure(callOf(run), configuration(2))).rejects.toThrow('no space left');
    expect(await agent.getRunStatus(callOf(run), run.runId)).toMatchObject({
      stage: 'FAILED',
      configurationDigest: configuration(1).digest,
    });
    expect(await readNodeState(directory, files)).toMatchObject({
      digest: configuration(1).digest,
      problems: [],
    });
  });

  test('that is committed though the disk failed after it is completed by its repeat', async () => {
    const agent = await boot();
    const run = newRun();
    const bytes = configuration(1, { 'plugin.choria.server.provision': 'false' });
    let syncs = 0;
    files.beforeSync = (path) =>
      path.endsWith('/state') && ++syncs === 1 ? Promise.reject(new Error('disk failed')) : Promise.resolve();
    await expect(agent.configure(callOf(run), bytes)).rejects.toThrow('disk failed');
    await agent.configure(callOf(run), bytes);
    await agent.restart(callOf(run), 0);
    await agent.stop();
    const next = await boot();
    expect(next.identify().provisioning).toBe(false);
    expect(await readNodeState(directory, files)).toMatchObject({ configurations: 1, problems: [] });
  });

  test('whose caller gives up before the commit has no effect', async () => {
    const agent = await boot();
    const run = newRun();
    const release = holdWrites(/staging-\d+\/0$/);
    const giveUp = new AbortController();
    const configuring = agent.configure(callOf(run, {}, giveUp.signal), configuration(1));
    const failed = expect(configuring).rejects.toThrow('gave up');
    await settle();
    giveUp.abort(new Error('gave up'));
    release();
    await failed;
    expect(await agent.getRunStatus(callOf(run), run.runId)).toBeUndefined();
    expect(await readNodeState(directory, files)).toMatchObject({ configurations: 0, status: 'NONE' });
    expect(commits).toBe(0);
  });

  test('whose caller gives up while another has its turn has no effect', async () => {
    const agent = await boot();
    const run = newRun();
    const release = holdWrites(/staging-\d+\/0$/);
    const giveUp = new AbortController();
    const first = agent.configure(callOf(run), configuration(1));
    const second = agent.configure(callOf(run, {}, giveUp.signal), configuration(2));
    const failed = expect(second).rejects.toThrow('gave up');
    await settle();
    giveUp.abort(new Error('gave up'));
    await failed;
    release();
    await first;
    expect(await readNodeState(directory, files)).toMatchObject({ digest: configuration(1).digest });
  });

  test('is not committed any more once a later run has taken the node', async () => {
    const agent = await boot();
    const early = newRun();
    const late = newRun();
    const release = holdWrites(/staging-\d+\/0$/);
    const configuring = reasonOf(agent.configure(callOf(early), configuration(1)));
    await settle();
    const inventory = agent.getInventory(callOf(late));
    await settle();
    release();
    await inventory;
    expect(await configuring).toBe('STALE_FENCE');
    expect(await readNodeState(directory, files)).toMatchObject({ configurations: 0, status: 'NONE' });
    expect(await agent.getRunStatus(callOf(late), early.runId)).toBeUndefined();
  });
});

describe('mutating calls', () => {
  test('are done one at a time, in order', async () => {
    const agent = await boot();
    const run = newRun();
    const release = holdWrites(/staging-1\/0$/);
    const done: string[] = [];
    const first = agent.configure(callOf(run), configuration(1)).then(() => done.push('first'));
    const second = agent.configure(callOf(run), configuration(2)).then(() => done.push('second'));
    const restart = agent.restart(callOf(run), 0).then(() => done.push('restart'));
    await settle();
    expect(done).toEqual([]);
    release();
    await Promise.all([first, second, restart]);
    expect(done).toEqual(['first', 'second', 'restart']);
    expect(await readNodeState(directory, files)).toMatchObject({ digest: configuration(2).digest });
  });
});

describe('a stop', () => {
  test('of a node that would start in provisioning mode is refused', async () => {
    const agent = await boot();
    const run = newRun();
    expect(await reasonOf(agent.restart(callOf(run), 0))).toBe('PROVISIONING_ENABLED');
    await agent.configure(callOf(run), configuration(1, { 'plugin.choria.server.provision': 'true' }));
    expect(await reasonOf(agent.restart(callOf(run), 0))).toBe('PROVISIONING_ENABLED');
    expect(await agent.getRunStatus(callOf(run), run.runId)).toMatchObject({ stage: 'FAILED' });
    await agent.configure(callOf(run), configuration(2, { 'plugin.choria.server.provision': 'false' }));
    expect(await reasonOf(agent.restart(callOf(run), 0))).toBe('done');
  });

  test('that is pending is told again to its own run and refuses all others', async () => {
    const agent = await boot();
    const run = newRun();
    await agent.configure(callOf(run), configuration(1));
    await agent.restart(callOf(run), 10_000);
    await clock.advance(1_000);
    expect(await agent.restart(callOf(run), 10_000)).toBe(4_000);
    expect(stops).toHaveLength(1);
    expect(await reasonOf(agent.shutdown(callOf(run)))).toBe('STOPPING');
    expect(await reasonOf(agent.configure(callOf(run), configuration(2)))).toBe('STOPPING');
    expect(await reasonOf(agent.restart(callOf(newRun()), 0))).toBe('STOPPING');
  });

  test('for good leaves a record of it', async () => {
    const agent = await boot();
    const run = newRun();
    await agent.shutdown(callOf(run));
    await agent.stop();
    const next = await boot();
    expect(next.identify().provisioning).toBe(true);
    expect(await next.getRunStatus(callOf(run), run.runId)).toMatchObject({ stage: 'STOPPING' });
  });

  test('by Reprovision leads back into provisioning mode with nothing left', async () => {
    const agent = await boot();
    await agent.configure(callOf(newRun()), configuration(1));
    await agent.stop();
    const configured = await boot();
    const run = newRun();
    expect(await reasonOf(configured.configure(callOf(run), configuration(2)))).toBe('NOT_PROVISIONING');
    await configured.reprovision(callOf(run));
    await configured.stop();
    const next = await boot();
    expect(next.identify().provisioning).toBe(true);
    expect(await readNodeState(directory, files)).toMatchObject({
      configurations: 1,
      status: 'NONE',
      problems: [],
    });
    expect(await reasonOf(next.configure(callOf({ ...newRun(), fence: 0n }), configuration(1)))).toBe(
      'STALE_FENCE',
    );
  });
});

describe('who holds the node', () => {
  test('is remembered across boots, with how long it has been idle', async () => {
    const agent = await boot();
    const run = newRun();
    await agent.getInventory(callOf(run));
    await agent.stop();
    await clock.advance(45_000);
    const next = await boot();
    const stale = next.getInventory(callOf({ runId: newRunId(), fence: run.fence - 1n }));
    await expect(stale).rejects.toMatchObject({
      refusal: { reason: 'STALE_FENCE', fence: run.fence, idleMs: 45_000 },
    });
    const elsewhere = next.getInventory(callOf(newRun(), { site: 'elsewhere' }));
    await expect(elsewhere).rejects.toMatchObject({ refusal: { reason: 'LOCKED', retryAfterMs: 75_000 } });
  });

  test('is forgotten once the node is configured', async () => {
    const agent = await boot();
    await agent.configure(callOf(newRun()), configuration(1));
    await agent.stop();
    const next = await boot();
    const reading = next.getRunStatus(
      callOf({ runId: newRunId(), fence: 0n }, { site: 'elsewhere' }),
      newRunId(),
    );
    expect(await reasonOf(reading)).toBe('done');
  });

  test('is written again once its last call is long after the one that was', async () => {
    const agent = await boot();
    const run = newRun();
    await agent.getInventory(callOf(run));
    await clock.advance(60_000);
    await agent.getRunStatus(callOf(run), run.runId);
    await agent.stop();
    await clock.advance(90_000);
    const elsewhere = (await boot()).getInventory(callOf(newRun(), { site: 'elsewhere' }));
    await expect(elsewhere).rejects.toMatchObject({ refusal: { reason: 'LOCKED', retryAfterMs: 30_000 } });
  });

  test('is not written again by each of its calls', async () => {
    const agent = await boot();
    const run = newRun();
    await agent.getInventory(callOf(run));
    const { operations } = files;
    await agent.getInventory(callOf(run));
    await agent.getRunStatus(callOf(run), run.runId);
    expect(files.operations).toBe(operations);
  });
});

test('an agent that goes down takes no call and commits nothing more', async () => {
  const agent = await boot();
  const run = newRun();
  const release = holdWrites(/manifest\.json\.new$/);
  const configuring = agent.configure(callOf(run), configuration(1));
  const waiting = agent.configure(callOf(run), configuration(2));
  const both = Promise.all([
    expect(configuring).rejects.toBeInstanceOf(DownError),
    expect(waiting).rejects.toBeInstanceOf(DownError),
  ]);
  await settle();
  const stopping = agent.stop();
  release();
  await Promise.all([both, stopping]);
  await expect(agent.getInventory(callOf(run))).rejects.toBeInstanceOf(DownError);
  expect(await readNodeState(directory, files)).toMatchObject({ configurations: 0 });
});
