// A fleet that is too large for discovery's processor to take at once: gate, load, pace, leases and the nodes' own patience
// are as they are, the processor and the time are modelled, so that what they come to is the same on every machine.

import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { Reporter } from '../../services/mock-node/reports/reporter.js';
import { identityOf } from '../../services/mock-node/swarm/names.js';
import { newBootId } from '../../shared/identity.js';
import { silentLogger } from '../../shared/logger.js';
import { CoarseClock } from './comeback/coarse-clock.js';
import { ModelledDiscovery } from './comeback/modelled-discovery.js';

const nodes = 4_000;

/** The processor takes all of them in twelve. A fleet that comes back competes with itself, and takes longer. */
const patienceSeconds = 90;

test('nodes that come all at once, and again after discovery was away, are soon known, none is forgotten, and no storm follows', {
  timeout: 240_000,
}, async () => {
  const clock = new CoarseClock();
  const discovery = new ModelledDiscovery(clock);
  startFleet(clock, discovery);
  expect(await secondsUntilKnown()).toBeLessThan(patienceSeconds);
  await expectCalm();
  discovery.kill();
  await clock.advance(100_000);
  discovery.restart();
  expect(await secondsUntilKnown()).toBeLessThan(patienceSeconds);
  await expectCalm();
  expect(discovery.expired).toBe(0);

  async function secondsUntilKnown(): Promise<number> {
    let seconds = 0;
    for (; discovery.known < nodes && seconds < 2 * patienceSeconds; seconds++) await clock.advance(1_000);
    return seconds;
  }

  /** Nobody is sent away any more, and nobody has to try more than once. */
  async function expectCalm(): Promise<void> {
    const from = discovery.seconds.length;
    await clock.advance(60_000);
    const since = discovery.seconds.slice(from);
    const sum = (counts: number[]) => counts.reduce((all, count) => all + count, 0);
    expect(discovery.known).toBe(nodes);
    expect(sum(since.map(({ closed }) => closed))).toBe(0);
    expect(sum(since.map(({ begun }) => begun))).toBeLessThan(1.1 * sum(since.map(({ taken }) => taken)));
  }
});

function startFleet(clock: CoarseClock, discovery: ModelledDiscovery): void {
  let seed = 1;
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  for (let index = 0; index < nodes; index++) {
    const identity = identityOf('node.swarm.local', index);
    if (identity === undefined) throw new Error(`node ${index} has no name`);
    new Reporter({
      registry: discovery.as(index),
      facts: { identity, bootId: newBootId(), version: '1.0.0', host: '', port: 7430 },
      provisioned: undefined,
      upgraded: false,
      newEventId: randomUUID,
      clock,
      random,
      log: silentLogger(),
    }).start();
  }
}
