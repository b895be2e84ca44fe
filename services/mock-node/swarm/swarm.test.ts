import { beforeEach, describe, expect, test } from 'vitest';
import { newRunId } from '../../../shared/identity.js';
import { silentLogger } from '../../../shared/logger.js';
import { agentOf, NodeBench } from '../../../test/fakes/node-bench.js';
import { Swarm } from './swarm.js';

let bench: NodeBench;

beforeEach(() => {
  bench = new NodeBench();
});

describe('a swarm', () => {
  const newSwarm = (count: number) =>
    new Swarm({
      count,
      clock: bench.clock,
      log: silentLogger(),
      newNode: (_index, onPhase) => bench.newNode({ onPhase }),
    });

  test('boots its nodes spread over the time given', async () => {
    const swarm = newSwarm(10);
    const started = swarm.start(1_000);
    await bench.clock.advance(450);
    expect(swarm.counts.PROVISIONING).toBe(5);
    expect(swarm.started).toBe(false);
    await bench.clock.advance(550);
    await started;
    expect(swarm.counts.PROVISIONING).toBe(10);
    expect(swarm.started).toBe(true);
  });

  test('is done when the last of its nodes was shut down', async () => {
    const swarm = newSwarm(2);
    await swarm.start(0);
    let done = false;
    void swarm.allShutDown.then(() => {
      done = true;
    });
    for (const index of [0, 1]) {
      const node = swarm.node(index) ?? expect.fail('no node');
      expect(done).toBe(false);
      await agentOf(node).shutdown(bench.callTo(node, newRunId()));
      await bench.clock.advance(1_000);
    }
    expect(done).toBe(true);
  });

  test('that ends is not done', async () => {
    const swarm = newSwarm(1);
    await swarm.start(0);
    let done = false;
    void swarm.allShutDown.then(() => {
      done = true;
    });
    await swarm.end(1_000);
    await bench.clock.advance(10);
    expect(done).toBe(false);
    expect(swarm.counts.STOPPED).toBe(1);
  });
});
