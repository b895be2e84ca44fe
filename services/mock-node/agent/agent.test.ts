import { beforeEach, describe, expect, test } from 'vitest';
import { newRunId, type RunId } from '../../../shared/identity.js';
import { proof } from '../../../shared/trust/proof.js';
import { AgentBench, configuration, reasonOf } from '../../../test/fakes/agent-bench.js';
import { settle } from '../../../test/fakes/fake-clock.js';

let bench: AgentBench;

beforeEach(() => {
  bench = new AgentBench();
});

test('a run configures and restarts the node, and the next boot knows it', async () => {
  const agent = await bench.boot();
  const run = bench.newRun();
  expect(agent.identify()).toMatchObject({
    identity: bench.identity,
    bootId: bench.bootId,
    provisioning: true,
  });
  expect(await agent.getInventory(bench.callOf(run))).toMatchObject({ version: '1.0', upgradable: true });
  expect(await agent.getRunStatus(bench.callOf(run), run.runId)).toBeUndefined();
  await agent.configure(bench.callOf(run), configuration(1));
  expect(await agent.getRunStatus(bench.callOf(run), run.runId)).toMatchObject({ stage: 'CONFIGURED' });
  expect(await agent.restart(bench.callOf(run), 1_000)).toBe(500);
  expect(bench.stops).toEqual([{ rpc: 'Restart', runId: run.runId, at: bench.clock.monotonic() + 500 }]);
  expect(agent.identify().provisioning).toBe(false);
  expect(await agent.getRunStatus(bench.callOf(run), run.runId)).toMatchObject({ stage: 'RESTARTING' });
  await agent.stop();

  const next = await bench.boot();
  expect(next.identify()).toMatchObject({ bootId: bench.bootId, provisioning: false });
  expect(await next.getRunStatus(bench.callOf(run), run.runId.toUpperCase())).toMatchObject({
    stage: 'CONFIRMED',
    configurationDigest: configuration(1).digest,
  });
  expect(bench.commits).toBe(1);
});

test('the facts of the inventory are JSON that a double would change', async () => {
  const agent = await bench.boot();
  const { factsJson, machinesJson } = await agent.getInventory(bench.callOf(bench.newRun()));
  expect(JSON.parse(factsJson)).toMatchObject({ fqdn: bench.identity });
  expect(factsJson).toContain('9007199254740994');
  expect(JSON.stringify(JSON.parse(factsJson.replace('994', '993')))).not.toContain('9007199254740993');
  expect(JSON.parse(machinesJson)).toEqual([]);
});

describe('a secret', () => {
  const proofBy = (secret: string, runId: RunId, challenge = bench.challenge) =>
    proof({ secret, identity: bench.identity, runId, challenge, certificateSha256: '' });

  test('asks for a proof by it, bound to this boot and run', async () => {
    const agent = await bench.boot('s3cret');
    const run = bench.newRun();
    const asked = (given: string) => reasonOf(agent.getInventory(bench.callOf(run, { proof: given })));
    expect(await asked('')).toBe('PROOF_INVALID');
    expect(await asked(proofBy('other', run.runId))).toBe('PROOF_INVALID');
    expect(await asked(proofBy('s3cret', newRunId()))).toBe('PROOF_INVALID');
    expect(await asked(proofBy('s3cret', run.runId, new Uint8Array(32)))).toBe('PROOF_INVALID');
    expect(await asked(proofBy('s3cret', run.runId))).toBe('done');
  });

  test('lets a configured node be restarted by who knows it', async () => {
    const agent = await bench.boot('s3cret');
    const run = bench.newRun();
    const call = () => bench.callOf(run, { proof: proofBy('s3cret', run.runId) });
    await agent.configure(call(), configuration(1));
    await agent.stop();
    const configured = await bench.boot('s3cret');
    expect(await reasonOf(configured.restart(bench.callOf(run), 0))).toBe('PROOF_INVALID');
    expect(await reasonOf(configured.restart(call(), 0))).toBe('done');
  });
});

describe('a configuration', () => {
  test('of the same content counts once and becomes the later run’s', async () => {
    const agent = await bench.boot();
    const first = bench.newRun();
    const second = bench.newRun();
    await agent.configure(bench.callOf(first), configuration(1));
    await agent.configure(bench.callOf(second), configuration(1));
    expect(bench.commits).toBe(1);
    expect(await bench.onDisk()).toMatchObject({
      configurations: 1,
      runId: second.runId,
      stage: 'CONFIGURED',
    });
  });

  test('of other content replaces the one that waits', async () => {
    const agent = await bench.boot();
    await agent.configure(bench.callOf(bench.newRun()), configuration(1));
    await agent.configure(bench.callOf(bench.newRun()), configuration(2));
    expect(bench.commits).toBe(2);
    await agent.stop();
    await bench.boot();
    const onDisk = await bench.onDisk();
    expect(onDisk).toMatchObject({ configurations: 2, digest: configuration(2).digest, problems: [] });
    expect(onDisk.settings.get('version')).toBe('2');
  });

  test('that is refused is remembered as the run’s failure', async () => {
    const agent = await bench.boot();
    const run = bench.newRun();
    const bad = { ...configuration(1), configurationJson: '{}' };
    expect(await reasonOf(agent.configure(bench.callOf(run), bad))).toBe('ARGUMENT_INVALID');
    expect(await agent.getRunStatus(bench.callOf(run), run.runId)).toMatchObject({ stage: 'FAILED' });
    await agent.stop();
    const next = await bench.boot();
    expect(await next.getRunStatus(bench.callOf(run), run.runId)).toMatchObject({
      stage: 'FAILED',
      configurationDigest: '',
    });
  });

  test('that the disk does not take is a failure and leaves the one before', async () => {
    const agent = await bench.boot();
    const run = bench.newRun();
    await agent.configure(bench.callOf(run), configuration(1));
    bench.files.beforeWrite = (path) =>
      path.endsWith('/1') ? Promise.reject(new Error('no space left')) : Promise.resolve();
    await expect(agent.configure(bench.callOf(run), configuration(2))).rejects.toThrow('no space left');
    expect(await agent.getRunStatus(bench.callOf(run), run.runId)).toMatchObject({
      stage: 'FAILED',
      configurationDigest: configuration(1).digest,
    });
    expect(await bench.onDisk()).toMatchObject({
      digest: configuration(1).digest,
      problems: [],
    });
  });

  test('that is committed though the disk failed after it is completed by its repeat', async () => {
    const agent = await bench.boot();
    const run = bench.newRun();
    const bytes = configuration(1, { 'plugin.choria.server.provision': 'false' });
    let syncs = 0;
    bench.files.beforeSync = (path) =>
      path.endsWith('/state') && ++syncs === 1 ? Promise.reject(new Error('disk failed')) : Promise.resolve();
    await expect(agent.configure(bench.callOf(run), bytes)).rejects.toThrow('disk failed');
    await agent.configure(bench.callOf(run), bytes);
    await agent.restart(bench.callOf(run), 0);
    await agent.stop();
    const next = await bench.boot();
    expect(next.identify().provisioning).toBe(false);
    expect(await bench.onDisk()).toMatchObject({ configurations: 1, problems: [] });
  });

  test('whose caller gives up before the commit has no effect', async () => {
    const agent = await bench.boot();
    const run = bench.newRun();
    const release = bench.holdWrites(/staging-\d+\/0$/);
    const giveUp = new AbortController();
    const configuring = agent.configure(bench.callOf(run, {}, giveUp.signal), configuration(1));
    const failed = expect(configuring).rejects.toThrow('gave up');
    await settle();
    giveUp.abort(new Error('gave up'));
    release();
    await failed;
    expect(await agent.getRunStatus(bench.callOf(run), run.runId)).toBeUndefined();
    expect(await bench.onDisk()).toMatchObject({ configurations: 0, status: 'NONE' });
    expect(bench.commits).toBe(0);
  });

  test('whose caller gives up while another has its turn has no effect', async () => {
    const agent = await bench.boot();
    const run = bench.newRun();
    const release = bench.holdWrites(/staging-\d+\/0$/);
    const giveUp = new AbortController();
    const first = agent.configure(bench.callOf(run), configuration(1));
    const second = agent.configure(bench.callOf(run, {}, giveUp.signal), configuration(2));
    const failed = expect(second).rejects.toThrow('gave up');
    await settle();
    giveUp.abort(new Error('gave up'));
    await failed;
    release();
    await first;
    expect(await bench.onDisk()).toMatchObject({ digest: configuration(1).digest });
  });

  test('is not committed any more once a later run has taken the node', async () => {
    const agent = await bench.boot();
    const early = bench.newRun();
    const late = bench.newRun();
    const release = bench.holdWrites(/staging-\d+\/0$/);
    const configuring = reasonOf(agent.configure(bench.callOf(early), configuration(1)));
    await settle();
    const inventory = agent.getInventory(bench.callOf(late));
    await settle();
    release();
    await inventory;
    expect(await configuring).toBe('STALE_FENCE');
    expect(await bench.onDisk()).toMatchObject({ configurations: 0, status: 'NONE' });
    expect(await agent.getRunStatus(bench.callOf(late), early.runId)).toBeUndefined();
  });
});

describe('mutating calls', () => {
  test('are done one at a time, in order', async () => {
    const agent = await bench.boot();
    const run = bench.newRun();
    const release = bench.holdWrites(/staging-1\/0$/);
    const done: string[] = [];
    const first = agent.configure(bench.callOf(run), configuration(1)).then(() => done.push('first'));
    const second = agent.configure(bench.callOf(run), configuration(2)).then(() => done.push('second'));
    const restart = agent.restart(bench.callOf(run), 0).then(() => done.push('restart'));
    await settle();
    expect(done).toEqual([]);
    release();
    await Promise.all([first, second, restart]);
    expect(done).toEqual(['first', 'second', 'restart']);
    expect(await bench.onDisk()).toMatchObject({ digest: configuration(2).digest });
  });
});
