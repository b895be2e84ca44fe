import { beforeEach, describe, expect, test } from 'vitest';
import { newRunId } from '../../../shared/identity.js';
import { AgentBench, configuration, type Run, reasonOf } from '../../../test/fakes/agent-bench.js';
import type { Agent } from './agent.js';

let bench: AgentBench;

beforeEach(() => {
  bench = new AgentBench();
});

describe('who holds the node', () => {
  test('is remembered across boots, with how long it has been idle', async () => {
    const agent = await bench.boot();
    const run = bench.newRun();
    await agent.getInventory(bench.callOf(run));
    await agent.stop();
    await bench.clock.advance(45_000);
    const next = await bench.boot();
    const stale = next.getInventory(bench.callOf({ runId: newRunId(), fence: run.fence - 1n }));
    await expect(stale).rejects.toMatchObject({
      refusal: { reason: 'STALE_FENCE', fence: run.fence, idleMs: 45_000 },
    });
    const elsewhere = next.getInventory(bench.callOf(bench.newRun(), { site: 'elsewhere' }));
    await expect(elsewhere).rejects.toMatchObject({ refusal: { reason: 'LOCKED', retryAfterMs: 75_000 } });
  });

  test('gets the node back with a higher fence only, whoever held it meanwhile', async () => {
    const early = bench.newRun();
    const late = bench.newRun();
    const read = async (agent: Agent, run: Run, site: string) =>
      await reasonOf(agent.getInventory(bench.callOf(run, { site })));
    const agent = await bench.boot();
    expect(await read(agent, late, 'default')).toBe('done');
    await bench.clock.advance(120_000);
    expect(await read(agent, { runId: newRunId(), fence: 1n }, 'elsewhere')).toBe('done');
    await bench.clock.advance(120_000);
    expect(await read(agent, early, 'default')).toBe('STALE_FENCE');
    await agent.stop();

    const next = await bench.boot();
    const stale = next.getInventory(bench.callOf(early));
    await expect(stale).rejects.toMatchObject({
      refusal: { reason: 'STALE_FENCE', fence: late.fence, idleMs: 240_000 },
    });
    expect(await read(next, late, 'default')).toBe('done');
    await bench.clock.advance(120_000);
    expect(await read(next, { runId: newRunId(), fence: 0n }, 'elsewhere')).toBe('STALE_FENCE');
  });

  test('is forgotten once the node is configured', async () => {
    const agent = await bench.boot();
    await agent.configure(bench.callOf(bench.newRun()), configuration(1));
    await agent.stop();
    const next = await bench.boot();
    const reading = next.getRunStatus(
      bench.callOf({ runId: newRunId(), fence: 0n }, { site: 'elsewhere' }),
      newRunId(),
    );
    expect(await reasonOf(reading)).toBe('done');
  });

  test('is written again once its last call is long after the one that was', async () => {
    const agent = await bench.boot();
    const run = bench.newRun();
    await agent.getInventory(bench.callOf(run));
    await bench.clock.advance(60_000);
    await agent.getRunStatus(bench.callOf(run), run.runId);
    await agent.stop();
    await bench.clock.advance(90_000);
    const elsewhere = (await bench.boot()).getInventory(bench.callOf(bench.newRun(), { site: 'elsewhere' }));
    await expect(elsewhere).rejects.toMatchObject({ refusal: { reason: 'LOCKED', retryAfterMs: 30_000 } });
  });

  test('is not written again by each of its calls', async () => {
    const agent = await bench.boot();
    const run = bench.newRun();
    await agent.getInventory(bench.callOf(run));
    const { operations } = bench.files;
    await agent.getInventory(bench.callOf(run));
    await agent.getRunStatus(bench.callOf(run), run.runId);
    expect(bench.files.operations).toBe(operations);
  });
});
