import { expect, test } from 'vitest';
import { type Phase, peaksOf } from './phase.js';
import type { Times } from './probe-times.js';
import { verdictOf } from './verdict.js';

const answered: Times = { count: 10, failed: 0, late: 0, p50: 5, p99: 20, max: 30 };

function phase(over: { steps?: readonly number[]; times?: Partial<Times>; known?: number } = {}): Phase {
  const { first, again } = peaksOf(over.steps ?? [100, 10]);
  const times = { ...answered, ...over.times };
  return {
    seconds: 10,
    known: over.known ?? 100,
    heard: 100,
    expired: 1,
    synced: true,
    reports: {
      ...{ begun: 100, taken: 100, failed: {}, mostUnderWay: 10 },
      ...{ perSecondMost: Math.max(first, again), perSecondFirst: first, perSecondAgain: again },
    },
    discovery: { cores: 0.5, peakMiB: 100, lagMs: 10 },
    fleetLagMs: 10,
    probes: { health: times, listNodes: times, readyz: times, metrics: times, getStatus: times },
  };
}

test.each([
  [[], { first: 0, again: 0 }],
  [[0, 0], { first: 0, again: 0 }],
  [[50, 80, 60], { first: 80, again: 0 }],
  [[50, 80, 40, 30], { first: 80, again: 40 }],
  [[50, 20, 80, 30], { first: 50, again: 80 }],
])('of %j the peaks are %j', (steps, peaks) => {
  expect(peaksOf(steps)).toEqual(peaks);
});

test('all is well where each call was answered, all nodes were known and no storm came again', () => {
  const phases = {
    arrival: phase(),
    steady: phase({ steps: [20, 10, 20] }),
    discoveryAway: phase({ known: 0 }),
  };
  expect(verdictOf(phases, 100)).toEqual({
    slowestDiscoveryMs: 30,
    slowestProvisionerMs: 30,
    unanswered: 0,
    answeredWithinASecond: true,
    allKnown: true,
    expired: 3,
    peaksFall: true,
  });
});

test('a storm that comes again and is higher is one', () => {
  expect(verdictOf({ discoveryBack: phase({ steps: [50, 20, 80] }) }, 100).peaksFall).toBe(false);
});

test.each([{ count: 0, max: 0 }, { failed: 1 }, { max: 1001 }])(
  '%j is not answered within a second',
  (times) => {
    expect(verdictOf({ arrival: phase({ times }) }, 100).answeredWithinASecond).toBe(false);
  },
);

test('a service that is away is not asked, and the other is', () => {
  const failing = phase({ times: { failed: 1 } });
  expect(verdictOf({ discoveryAway: failing }, 100).unanswered).toBe(1);
  expect(verdictOf({ provisionerAway: failing }, 100).unanswered).toBe(4);
});

test('a node that is missing at the end of a phase is told', () => {
  expect(verdictOf({ arrival: phase({ known: 99 }) }, 100).allKnown).toBe(false);
});
