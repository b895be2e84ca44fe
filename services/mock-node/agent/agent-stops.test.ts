import { beforeEach, describe, expect, test } from 'vitest';
import { AgentBench, configuration, type Run, reasonOf } from '../../../test/fakes/agent-bench.js';
import { PowerLossError } from '../../../test/fakes/crashing-files.js';
import { settle } from '../../../test/fakes/fake-clock.js';
import type { Agent } from './agent.js';
import { DownError } from './refusal.js';

let bench: AgentBench;

beforeEach(() => {
  bench = new AgentBench();
});

describe('a stop', () => {
  test('of a node that would start in provisioning mode is refused', async () => {
    const agent = await bench.boot();
    const run = bench.newRun();
    expect(await reasonOf(agent.restart(bench.callOf(run), 0))).toBe('PROVISIONING_ENABLED');
    await agent.configure(bench.callOf(run), configuration(1, { 'plugin.choria.server.provision': 'true' }));
    expect(await reasonOf(agent.restart(bench.callOf(run), 0))).toBe('PROVISIONING_ENABLED');
    expect(await agent.getRunStatus(bench.callOf(run), run.runId)).toMatchObject({ stage: 'FAILED' });
    await agent.configure(bench.callOf(run), configuration(2, { 'plugin.choria.server.provision': 'false' }));
    expect(await reasonOf(agent.restart(bench.callOf(run), 0))).toBe('done');
  });

  test('into what was committed though the disk failed after it goes by that', async () => {
    const agent = await bench.boot();
    const run = bench.newRun();
    await agent.configure(bench.callOf(run), configuration(1, { 'plugin.choria.server.provision': 'false' }));
    bench.files.beforeSync = (path) => {
      if (!path.endsWith('/state')) return Promise.resolve();
      bench.files.beforeSync = async () => {};
      return Promise.reject(new Error('disk failed'));
    };
    const staysOn = configuration(2, { 'plugin.choria.server.provision': 'true' });
    await expect(agent.configure(bench.callOf(run), staysOn)).rejects.toThrow('disk failed');
    expect(await bench.onDisk()).toMatchObject({ status: 'COMMITTED', digest: staysOn.digest });
    expect(await reasonOf(agent.restart(bench.callOf(run), 0))).toBe('PROVISIONING_ENABLED');
  });

  test('into a configuration that another one failed to replace is accepted', async () => {
    const agent = await bench.boot();
    const run = bench.newRun();
    await agent.configure(bench.callOf(run), configuration(1));
    bench.files.beforeWrite = (path) =>
      path.includes('staging-2') ? Promise.reject(new Error('no space left')) : Promise.resolve();
    const staysOn = configuration(2, { 'plugin.choria.server.provision': 'true' });
    await expect(agent.configure(bench.callOf(run), staysOn)).rejects.toThrow('no space left');
    expect(await reasonOf(agent.restart(bench.callOf(run), 0))).toBe('done');
  });

  test('that is pending is told again to its own run and refuses all others', async () => {
    const agent = await bench.boot();
    const run = bench.newRun();
    await agent.configure(bench.callOf(run), configuration(1));
    await agent.restart(bench.callOf(run), 10_000);
    await bench.clock.advance(1_000);
    expect(await agent.restart(bench.callOf(run), 10_000)).toBe(4_000);
    expect(bench.stops).toHaveLength(1);
    expect(await reasonOf(agent.shutdown(bench.callOf(run)))).toBe('STOPPING');
    expect(await reasonOf(agent.configure(bench.callOf(run), configuration(2)))).toBe('STOPPING');
    expect(await reasonOf(agent.restart(bench.callOf(bench.newRun()), 0))).toBe('STOPPING');
  });

  test('that is pending stays so whatever a repeat of it brings', async () => {
    const agent = await bench.boot();
    const run = bench.newRun();
    await agent.configure(bench.callOf(run), configuration(1));
    await agent.restart(bench.callOf(run), 10_000);
    expect(await reasonOf(agent.restart(bench.callOf(run), -1))).toBe('ARGUMENT_INVALID');
    expect(await agent.getRunStatus(bench.callOf(run), run.runId)).toMatchObject({ stage: 'RESTARTING' });
  });

  test('for good leaves a record of it', async () => {
    const agent = await bench.boot();
    const run = bench.newRun();
    await agent.shutdown(bench.callOf(run));
    await agent.stop();
    const next = await bench.boot();
    expect(next.identify().provisioning).toBe(true);
    expect(await next.getRunStatus(bench.callOf(run), run.runId)).toMatchObject({ stage: 'STOPPING' });
  });

  test('by Reprovision leads back into provisioning mode with nothing left', async () => {
    const agent = await bench.boot();
    await agent.configure(bench.callOf(bench.newRun()), configuration(1));
    await agent.stop();
    const configured = await bench.boot();
    const run = bench.newRun();
    expect(await reasonOf(configured.configure(bench.callOf(run), configuration(2)))).toBe(
      'NOT_PROVISIONING',
    );
    await configured.reprovision(bench.callOf(run));
    await configured.stop();
    const next = await bench.boot();
    expect(next.identify().provisioning).toBe(true);
    expect(await bench.onDisk()).toMatchObject({
      configurations: 1,
      status: 'NONE',
      problems: [],
    });
    expect(
      await reasonOf(next.configure(bench.callOf({ ...bench.newRun(), fence: 0n }), configuration(1))),
    ).toBe('STALE_FENCE');
  });
});

describe('whatever operation of a stop is the last', () => {
  /** Boots into the mode, stops, and cuts the power within every operation up to the next boot. */
  async function outcomes(configured: boolean, stop: (agent: Agent, run: Run) => Promise<number>) {
    const seen = new Set<string>();
    for (const kept of [(n: number) => n, () => 0, (n: number) => n >> 1]) {
      let crashed = true;
      for (let operation = 1; crashed; operation++) {
        bench = new AgentBench();
        let agent = await bench.boot();
        await agent.configure(bench.callOf(bench.newRun()), configuration(1));
        if (configured) {
          await agent.stop();
          agent = await bench.boot();
        }
        const run = bench.newRun();
        bench.files.crashAt(operation);
        const told = await reasonOf(stop(agent, run));
        await agent.stop();
        crashed = await bench.boot().then(
          () => false,
          (error) => {
            if (!(error instanceof PowerLossError)) throw error;
            return true;
          },
        );
        bench.files.reboot(kept);
        const { provisioning } = (await bench.boot()).identify();
        const { problems, runs } = await bench.onDisk();
        expect(problems).toEqual([]);
        const record = runs.find(({ runId }) => runId === run.runId)?.stage ?? 'NONE';
        if (told === 'done') expect(record).not.toBe('NONE');
        seen.add(`${record} ${provisioning ? 'provisioning' : 'configured'}`);
      }
    }
    return [...seen].sort();
  }

  test('Reprovision happened or not', async () => {
    expect(await outcomes(true, (agent, run) => agent.reprovision(bench.callOf(run)))).toEqual([
      'NONE configured',
      'RESTARTING provisioning',
    ]);
  });

  test('a node that is to restart comes up with its configuration', async () => {
    expect(await outcomes(false, (agent, run) => agent.restart(bench.callOf(run), 0))).toEqual([
      'NONE configured',
      'RESTARTING configured',
    ]);
  });
});

test('what GetRunStatus tells is on the disk', async () => {
  const agent = await bench.boot();
  await agent.configure(bench.callOf(bench.newRun()), configuration(1));
  await agent.stop();
  const configured = await bench.boot();
  const run = bench.newRun();
  let synced = () => {};
  bench.files.beforeSync = () => new Promise((resolve) => (synced = resolve));
  const stopping = configured.reprovision(bench.callOf(run));
  await settle();
  let told: unknown = 'nothing yet';
  const asked = configured.getRunStatus(bench.callOf(run), run.runId).then((record) => {
    told = record?.stage;
  });
  await settle();
  expect(told).toBe('nothing yet');
  synced();
  await Promise.all([stopping, asked]);
  expect(told).toBe('RESTARTING');
});

test('an agent that goes down takes no call and commits nothing more', async () => {
  const agent = await bench.boot();
  const run = bench.newRun();
  const release = bench.holdWrites(/manifest\.json\.new$/);
  const configuring = agent.configure(bench.callOf(run), configuration(1));
  const waiting = agent.configure(bench.callOf(run), configuration(2));
  const both = Promise.all([
    expect(configuring).rejects.toBeInstanceOf(DownError),
    expect(waiting).rejects.toBeInstanceOf(DownError),
  ]);
  await settle();
  const stopping = agent.stop();
  release();
  await Promise.all([both, stopping]);
  await expect(agent.getInventory(bench.callOf(run))).rejects.toBeInstanceOf(DownError);
  expect(() => agent.identify()).toThrow(DownError);
  expect(await bench.onDisk()).toMatchObject({ configurations: 0 });
});
