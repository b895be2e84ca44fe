import { beforeEach, describe, expect, test } from 'vitest';
import { AgentBench, configuration, reasonOf } from '../../../test/fakes/agent-bench.js';
import { settle } from '../../../test/fakes/fake-clock.js';
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
  expect(await bench.onDisk()).toMatchObject({ configurations: 0 });
});
