import { expect, test } from 'vitest';
import { Samples } from '../launch/scrape.js';
import { progressLine, readProgress } from './progress.js';

const scraped = new Samples(`
# HELP slipway_provisioner_hosts hosts
slipway_provisioner_hosts{state="QUEUED",site="demo"} 7
slipway_provisioner_hosts{state="RUNNING",site="demo"} 3
slipway_provisioner_confirmed_total{site="demo"} 15
slipway_provisioner_runs_total{outcome="FAILED",reason="UNREACHABLE",site="demo"} 1
slipway_provisioner_runs_total{outcome="FAILED",reason="HELPER_EXIT",site="demo"} 1
slipway_provisioner_runs_total{outcome="PROVISIONED",reason="",site="demo"} 16
`);

test('progress adds up what the provisioner counts', () => {
  expect(readProgress(scraped)).toEqual({ queued: 7, running: 3, confirmed: 15, failedRuns: 2 });
});

test('a line of progress names every count and the rate', () => {
  expect(progressLine(readProgress(scraped), 25, 5).trim()).toBe(
    '5.0 s   queued 7   running 3   confirmed 15 of 25   failed 2   3.0 nodes/s',
  );
});
