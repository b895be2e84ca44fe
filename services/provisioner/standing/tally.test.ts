import { expect, it } from 'vitest';
import { FakeClock } from '../../../test/fakes/fake-clock.js';
import { event } from '../../../test/fakes/provisioning-events.js';
import { Tally } from './tally.js';

it('counts how runs ended, by reason, and how fast', () => {
  const tally = new Tally(new FakeClock());
  const failed = { outcome: 'FAILED', reason: 'UNREACHABLE' } as const;
  for (const over of [{}, failed, failed, { outcome: 'UPGRADE_FAILED', reason: 'UPGRADE_LOOP' } as const]) {
    tally.publish(event('RUN_FINISHED', over));
  }
  tally.sighted();
  expect(tally.outcomes).toEqual([
    { outcome: 'FAILED', reason: 'UNREACHABLE', count: 2 },
    { outcome: 'PROVISIONED', reason: '', count: 1 },
    { outcome: 'UPGRADE_FAILED', reason: 'UPGRADE_LOOP', count: 1 },
  ]);
  expect(tally.perSecond).toEqual({ sightings: 1, runs: 4, provisioned: 1, failed: 3, confirmed: 0 });
});

it('counts confirmations and what was dropped', () => {
  const tally = new Tally(new FakeClock());
  tally.publish(event('NODE_CONFIRMED'));
  tally.publish(event('CONFIRMATION_MISSED'));
  for (const count of [12, 3]) tally.publish(event('HOST_DROPPED', { count }));
  expect([tally.confirmed, tally.missed, tally.dropped]).toEqual([1, 1, 15]);
});
