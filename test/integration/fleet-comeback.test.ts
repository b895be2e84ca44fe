// A fleet larger than discovery's processor: gate, load, pace and the nodes' own patience are as they are, the processor and
// the time are modelled, so that what they come to together is the same on every machine.

import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { Reporter } from '../../services/mock-node/reports/reporter.js';
import { identityOf } from '../../services/mock-node/swarm/names.js';
import { newBootId } from '../../shared/identity.js';
import { silentLogger } from '../../shared/logger.js';
import { CoarseClock } from './comeback/coarse-clock.js';
import { ModelledDiscovery } from './comeback/modelled-discovery.js';

const nodes = 10_000;

test('50,000 nodes that come at once, and after ten minutes without discovery, are all known in a while, and lost no more', {
  timeout: 300_000,
}, async () => {
  const clock = new CoarseClock();
  const discovery = new ModelledDiscovery(clock);
  startFleet(clock, discovery);
  const course = (from: number) => {
    const steps: string[] = [];
    for (let at = from; at < discovery.seconds.length; at += 10) {
      const part = discovery.seconds.slice(at, at + 10);
      const sum = (of: 'begun' | 'taken' | 'closed') => Math.round(part.reduce((all, each) => all + each[of], 0) / part.length);
      steps.push(`${sum('begun')}/${sum('taken')}/${sum('closed')}`);
    }
    return steps.join(' ');
  };
  const untilKnown = async () => {
    let seconds = 0;
    for (; discovery.known < nodes && seconds < 1_200; seconds++) await clock.advance(1_000);
    return seconds;
  };
  const t0 = performance.now();
  const arrival = await untilKnown();
  console.log('arrival', arrival, discovery.known, discovery.expired, course(0), performance.now() - t0);
  let mark = discovery.seconds.length;
  await clock.advance(200_000);
  console.log('steady', discovery.known, discovery.expired, course(mark), performance.now() - t0);
  discovery.kill();
  await clock.advance(120_000);
  mark = discovery.seconds.length;
  discovery.restart();
  const comeback = await untilKnown();
  console.log('comeback', comeback, discovery.known, discovery.expired, course(mark), performance.now() - t0);
  mark = discovery.seconds.length;
  await clock.advance(200_000);
  console.log('steady', discovery.known, discovery.expired, course(mark), performance.now() - t0);
  expect(discovery.expired).toBe(0);
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
