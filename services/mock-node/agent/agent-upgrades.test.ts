import { beforeEach, describe, expect, test } from 'vitest';
import { AgentBench, configuration, type Run, reasonOf } from '../../../test/fakes/agent-bench.js';
import { PowerLossError } from '../../../test/fakes/crashing-files.js';
import { settle } from '../../../test/fakes/fake-clock.js';
import type { Agent } from './agent.js';
import { DownError, NotServedError } from './refusal.js';

const release = { repository: 'https://releases.example.net', version: '2.0' };

let bench: AgentBench;

beforeEach(() => {
  bench = new AgentBench();
});

/** What becomes of a promise, as it stands now. */
function watched(call: Promise<unknown>): { now: string } {
  const seen = { now: 'waits' };
  void reasonOf(call).then((reason) => {
    seen.now = reason;
  });
  return seen;
}

async function upgrade(agent: Agent, run: Run, to = release): Promise<string> {
  const upgrading = watched(agent.updateRelease(bench.callOf(run), to));
  await bench.clock.advance(1_000);
  return upgrading.now;
}

describe('an upgrade', () => {
  test('takes its time, answers, and restarts into provisioning mode with the release', async () => {
    const agent = await bench.boot();
    const run = bench.newRun();
    expect(agent.identify()).toMatchObject({ version: '1.0', upgradable: true });
    const upgrading = watched(agent.updateRelease(bench.callOf(run), release));
    await bench.clock.advance(999);
    expect(upgrading.now).toBe('waits');
    expect(agent.identify()).toMatchObject({ provisioning: false, version: '1.0' });
    expect(await agent.getRunStatus(bench.callOf(run), run.runId)).toMatchObject({ stage: 'UPGRADING' });
    expect(bench.stops).toEqual([]);
    await bench.clock.advance(1);
    expect(upgrading.now).toBe('done');
    expect(bench.upgrades).toEqual({ accepted: 1, failed: 0 });
    expect(bench.stops).toEqual([
      { rpc: 'UpdateRelease', runId: run.runId, at: bench.clock.monotonic() + 100 },
    ]);
    expect(await agent.getRunStatus(bench.callOf(run), run.runId)).toMatchObject({ stage: 'UPGRADED' });
    await agent.stop();

    const next = await bench.boot();
    expect(next.identify()).toMatchObject({ provisioning: true, version: '2.0' });
    expect(await next.getInventory(bench.callOf(run))).toMatchObject({ version: '2.0', upgradable: true });
    expect(await next.getRunStatus(bench.callOf(run), run.runId)).toMatchObject({ stage: 'UPGRADED' });
  });

  test('to an older release is a downgrade, and done', async () => {
    const agent = await bench.boot();
    expect(await upgrade(agent, bench.newRun(), { ...release, version: '0.9' })).toBe('done');
    await agent.stop();
    expect((await bench.boot()).identify().version).toBe('0.9');
  });

  test('withdraws the configuration that waits for a start', async () => {
    const agent = await bench.boot();
    await agent.configure(bench.callOf(bench.newRun()), configuration(1));
    expect(await upgrade(agent, bench.newRun())).toBe('done');
    expect(await bench.files.list(`${bench.directory}/state`)).toEqual(['manifest.json']);
    await agent.stop();
    expect((await bench.boot()).identify()).toMatchObject({ provisioning: true, version: '2.0' });
    expect(await bench.onDisk()).toMatchObject({ status: 'NONE', problems: [] });
  });

  test('without effect restarts the node with the release that it had', async () => {
    const agent = await bench.boot();
    const run = bench.newRun();
    const upgrading = watched(agent.updateRelease(bench.callOf(run), release, { withoutEffect: true }));
    await bench.clock.advance(1_000);
    expect(upgrading.now).toBe('done');
    expect(bench.stops).toHaveLength(1);
    await agent.stop();
    const next = await bench.boot();
    expect(next.identify().version).toBe('1.0');
    expect(await next.getRunStatus(bench.callOf(run), run.runId)).toMatchObject({ stage: 'UPGRADED' });
  });

  test('that is pending is joined by its own run, and refuses all others', async () => {
    const agent = await bench.boot();
    const run = bench.newRun();
    const first = watched(agent.updateRelease(bench.callOf(run), release));
    const waiting = watched(agent.updateRelease(bench.callOf(run), release));
    await bench.clock.advance(500);
    const late = watched(agent.updateRelease(bench.callOf(run), release));
    expect(await reasonOf(agent.updateRelease(bench.callOf(bench.newRun()), release))).toBe('STOPPING');
    expect(await reasonOf(agent.configure(bench.callOf(run), configuration(1)))).toBe('STOPPING');
    expect(await reasonOf(agent.getInventory(bench.callOf(run)))).toBe('STOPPING');
    expect([first.now, waiting.now, late.now]).toEqual(['waits', 'waits', 'waits']);
    await bench.clock.advance(500);
    expect([first.now, waiting.now, late.now]).toEqual(['done', 'done', 'done']);
    expect(await reasonOf(agent.updateRelease(bench.callOf(run), release))).toBe('done');
    expect(await reasonOf(agent.configure(bench.callOf(run), configuration(1)))).toBe('STOPPING');
    expect(bench.upgrades).toEqual({ accepted: 1, failed: 0 });
    expect(bench.stops).toHaveLength(1);
  });

  test('is not joined by who wants another release, which changes nothing of its record', async () => {
    const agent = await bench.boot();
    const run = bench.newRun();
    const upgrading = watched(agent.updateRelease(bench.callOf(run), release));
    await settle();
    const another = { ...release, version: '3.0' };
    expect(await reasonOf(agent.updateRelease(bench.callOf(run), another))).toBe('STOPPING');
    const bad = { ...release, version: '' };
    expect(await reasonOf(agent.updateRelease(bench.callOf(run), bad))).toBe('ARGUMENT_INVALID');
    expect(await agent.getRunStatus(bench.callOf(run), run.runId)).toMatchObject({ stage: 'UPGRADING' });
    await bench.clock.advance(1_000);
    expect(upgrading.now).toBe('done');
  });

  test.each([
    { ...release, repository: '' },
    { ...release, version: '' },
    { ...release, version: '2.0\n' },
    { ...release, version: '2'.repeat(129) },
    { ...release, repository: 'https://a\r\nb' },
  ])('to what is no release is refused, and remembered: %j', async (bad) => {
    const agent = await bench.boot();
    const run = bench.newRun();
    expect(await reasonOf(agent.updateRelease(bench.callOf(run), bad))).toBe('ARGUMENT_INVALID');
    expect(await agent.getRunStatus(bench.callOf(run), run.runId)).toMatchObject({ stage: 'FAILED' });
    expect(agent.identify().provisioning).toBe(true);
  });

  test('of a node that cannot be upgraded is not served', async () => {
    const agent = await bench.boot(undefined, { upgradable: false });
    expect(agent.identify().upgradable).toBe(false);
    const call = bench.callOf(bench.newRun());
    await expect(agent.updateRelease(call, release)).rejects.toBeInstanceOf(NotServedError);
    expect((await agent.getInventory(call)).upgradable).toBe(false);
    expect(await reasonOf(agent.updateRelease(bench.callOf({ ...bench.newRun(), fence: 0n }), release))).toBe(
      'STALE_FENCE',
    );
  });

  test('of a configured node is refused', async () => {
    const agent = await bench.boot();
    await agent.configure(bench.callOf(bench.newRun()), configuration(1));
    await agent.stop();
    const configured = await bench.boot();
    expect(await reasonOf(configured.updateRelease(bench.callOf(bench.newRun()), release))).toBe(
      'NOT_PROVISIONING',
    );
  });
});

describe('a caller that gives up', () => {
  test('before the upgrade is accepted leaves no effect', async () => {
    const agent = await bench.boot();
    const run = bench.newRun();
    await agent.configure(bench.callOf(run), configuration(1));
    const release1 = bench.holdWrites(/manifest\.json\.new$/);
    const giveUp = new AbortController();
    const upgrading = watched(agent.updateRelease(bench.callOf(run, {}, giveUp.signal), release));
    await settle();
    giveUp.abort(new Error('gave up'));
    release1();
    await settle();
    expect(upgrading.now).toContain('gave up');
    await bench.clock.advance(10_000);
    expect(bench.upgrades.accepted).toBe(0);
    expect(await agent.getRunStatus(bench.callOf(run), run.runId)).toMatchObject({ stage: 'CONFIGURED' });
    expect(await bench.onDisk()).toMatchObject({ status: 'COMMITTED', release: undefined, problems: [] });
  });

  test('after it does not stop it', async () => {
    const agent = await bench.boot();
    const run = bench.newRun();
    const giveUp = new AbortController();
    const upgrading = watched(agent.updateRelease(bench.callOf(run, {}, giveUp.signal), release));
    await bench.clock.advance(500);
    giveUp.abort(new Error('gave up'));
    await settle();
    expect(upgrading.now).toContain('gave up');
    await bench.clock.advance(500);
    expect(bench.stops).toHaveLength(1);
    expect(await bench.onDisk()).toMatchObject({ release: '2.0', runs: [{ stage: 'UPGRADED' }] });
  });
});

describe('a disk that fails', () => {
  test('at the acceptance is the failure of the run, and nothing is upgraded', async () => {
    const agent = await bench.boot();
    const run = bench.newRun();
    let writes = 0;
    bench.files.beforeWrite = () =>
      ++writes === 1 ? Promise.reject(new Error('no space left')) : Promise.resolve();
    expect(await upgrade(agent, run)).toContain('no space left');
    expect(bench.upgrades.accepted).toBe(0);
    expect(await bench.onDisk()).toMatchObject({ release: undefined, runs: [{ stage: 'FAILED' }] });
    expect(await upgrade(agent, run)).toBe('done');
  });

  test.each(['write', 'sync'])('at the end, in a %s, leaves the release and the node up', async (where) => {
    const agent = await bench.boot();
    const run = bench.newRun();
    const upgrading = watched(agent.updateRelease(bench.callOf(run), release));
    await bench.clock.advance(500);
    const failOnce = () => {
      bench.files.beforeWrite = async () => {};
      bench.files.beforeSync = async () => {};
      return Promise.reject(new Error('no space left'));
    };
    if (where === 'write') bench.files.beforeWrite = failOnce;
    else bench.files.beforeSync = failOnce;
    await bench.clock.advance(500);
    expect(upgrading.now).toContain('no space left');
    expect(bench.upgrades).toEqual({ accepted: 1, failed: 1 });
    expect(bench.stops).toEqual([]);
    expect(agent.identify().provisioning).toBe(true);
    expect(await bench.onDisk()).toMatchObject({ release: undefined, runs: [{ stage: 'FAILED' }] });
    await agent.configure(bench.callOf(run), configuration(1));
    await agent.stop();
    expect((await bench.boot()).identify()).toMatchObject({ provisioning: false, version: '1.0' });
  });

  test('for good makes the node restart, which finds out what has become of it', async () => {
    const agent = await bench.boot();
    const run = bench.newRun();
    const upgrading = watched(agent.updateRelease(bench.callOf(run), release));
    await bench.clock.advance(500);
    bench.files.beforeWrite = () => Promise.reject(new Error('no space left'));
    await bench.clock.advance(500);
    expect(upgrading.now).toContain('no space left');
    expect(bench.stops).toHaveLength(1);
    await agent.stop();
    bench.files.beforeWrite = async () => {};
    const next = await bench.boot();
    expect(next.identify()).toMatchObject({ provisioning: true, version: '1.0' });
    expect(await next.getRunStatus(bench.callOf(run), run.runId)).toMatchObject({ stage: 'FAILED' });
  });
});

test('an agent that goes down cuts an upgrade off, and the next boot has the release before it', async () => {
  const agent = await bench.boot();
  const run = bench.newRun();
  const upgrading = expect(agent.updateRelease(bench.callOf(run), release)).rejects.toBeInstanceOf(DownError);
  await bench.clock.advance(500);
  await agent.stop();
  await upgrading;
  await bench.clock.advance(10_000);
  expect(bench.stops).toEqual([]);
  const next = await bench.boot();
  expect(next.identify()).toMatchObject({ provisioning: true, version: '1.0' });
  expect(await next.getRunStatus(bench.callOf(run), run.runId)).toMatchObject({ stage: 'FAILED' });
});

test('whatever operation of an upgrade is the last, the node has one release, and says which', async () => {
  const seen = new Set<string>();
  for (const kept of [(n: number) => n, () => 0, (n: number) => n >> 1]) {
    let crashed = true;
    for (let operation = 1; crashed; operation++) {
      bench = new AgentBench();
      const agent = await bench.boot();
      const [before, run] = [bench.newRun(), bench.newRun()];
      await agent.configure(bench.callOf(before), configuration(1));
      bench.files.crashAt(operation);
      const told = await upgrade(agent, run);
      await agent.stop();
      // The start that follows may be the last operation as well.
      const starting = await bench.boot().catch((error) => {
        if (!(error instanceof PowerLossError)) throw error;
        return undefined;
      });
      crashed = starting === undefined;
      bench.files.reboot(kept);
      const next = await bench.boot();
      const { version, provisioning } = next.identify();
      const onDisk = await bench.onDisk();
      const stage = onDisk.runs.find(({ runId }) => runId === run.runId)?.stage ?? 'NONE';
      seen.add(`${stage} ${version} ${provisioning ? 'provisioning' : 'configured'}`);
      expect(onDisk.problems).toEqual([]);
      if (told === 'done') expect(stage).toBe('UPGRADED');
      expect(onDisk.runs.find(({ runId }) => runId === before.runId)?.stage).toBe(
        provisioning ? 'CONFIGURED' : 'CONFIRMED',
      );
    }
  }
  expect([...seen].sort()).toEqual([
    'FAILED 1.0 provisioning',
    'NONE 1.0 configured',
    'UPGRADED 2.0 provisioning',
  ]);
});
