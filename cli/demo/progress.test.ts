import { describe, expect, test } from 'vitest';
import { Samples } from '../launch/scrape.js';
import { Course, nothingYet, readProgress } from './progress.js';

const scraped = new Samples(`
# HELP slipway_provisioner_hosts hosts
slipway_provisioner_hosts{state="QUEUED",site="demo"} 7
slipway_provisioner_hosts{state="RUNNING",site="demo"} 3
slipway_provisioner_confirmed_total{site="demo"} 15
slipway_provisioner_confirmations_missed_total{site="demo"} 1
slipway_provisioner_runs_total{outcome="FAILED",reason="UNREACHABLE",site="demo"} 1
slipway_provisioner_runs_total{outcome="FAILED",reason="HELPER_EXIT",site="demo"} 4
slipway_provisioner_runs_total{outcome="FAILED",reason="KEY_INVALID",site="demo"} 0
slipway_provisioner_runs_total{outcome="DEFERRED",reason="",site="demo"} 6
slipway_provisioner_runs_total{outcome="SHUT_DOWN",reason="",site="demo"} 8
slipway_provisioner_runs_total{outcome="PROVISIONED",reason="",site="demo"} 18
`);

test('progress adds up what the provisioner counts', () => {
  expect(readProgress(scraped)).toEqual({
    queued: 7,
    running: 3,
    restarting: 2,
    confirmed: 15,
    missed: 1,
    shutDown: 8,
    deferredRuns: 6,
    failedRuns: 5,
    reasons: new Map([
      ['UNREACHABLE', 1],
      ['HELPER_EXIT', 4],
    ]),
  });
});

describe('a fleet has come to its end', () => {
  test('when every node is confirmed', () => {
    const course = new Course(25);
    expect(course.isOver(nothingYet)).toBe(false);
    expect(course.isOver({ ...nothingYet, confirmed: 24, failedRuns: 1 })).toBe(false);
    expect(course.isOver({ ...nothingYet, confirmed: 25, failedRuns: 1 })).toBe(true);
  });

  test('when the others have had two turns in vain since the last success', () => {
    const course = new Course(25);
    const later = { ...nothingYet, confirmed: 23, failedRuns: 9 };
    expect(course.isOver(later)).toBe(false);
    expect(course.isOver({ ...later, failedRuns: 12 })).toBe(false);
    expect(course.isOver({ ...later, failedRuns: 12, restarting: 1, deferredRuns: 1 })).toBe(false);
    expect(course.isOver({ ...later, failedRuns: 12, deferredRuns: 1 })).toBe(true);
  });

  test('when the others were shut down or did not come up', () => {
    const course = new Course(25);
    expect(course.isOver({ ...nothingYet, confirmed: 20, shutDown: 4 })).toBe(false);
    expect(course.isOver({ ...nothingYet, confirmed: 20, shutDown: 4, missed: 1 })).toBe(true);
  });
});
