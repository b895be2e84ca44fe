import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../../test/fakes/fake-clock.js';
import { FakeRuns } from '../../../test/fakes/fake-runs.js';
import { node } from '../../../test/fakes/node-events.js';
import { RecordingSink } from '../../../test/fakes/recording-sink.js';
import type { RunResult } from '../run/run.js';
import { Breaker } from './breaker.js';
import { Counters } from './counters.js';
import { Freshness } from './freshness.js';
import { type Host, newHost } from './host.js';
import { Hosts } from './hosts.js';
import { Workers } from './workers.js';

const intervalMs = 60_000;

/** A worker that finds one host, as it is made, in the queue. */
async function workerThatTakes(change: (host: Host) => void) {
  const clock = new FakeClock();
  const sink = new RecordingSink();
  const runs = new FakeRuns();
  const freshness = new Freshness(clock, intervalMs);
  freshness.synced('discovery-1:7412', intervalMs);
  const hosts = new Hosts({ clock, sink, queueLimit: 1 });
  const host = newHost(node('a'), clock.monotonic());
  hosts.admit(host);
  change(host);
  await clock.advance(2 * intervalMs + 1);
  const results: RunResult[] = [];
  new Workers({
    workers: 1,
    hosts,
    counters: new Counters(clock),
    freshness,
    breaker: new Breaker({ limit: 1, clock, random: () => 0.5, sink }),
    startRun: runs.start,
    sink,
    mayStart: () => true,
    ended: (_host, result) => results.push(result),
  }).fill();
  return { sink, runs, outcomes: results.map(({ outcome }) => outcome.kind) };
}

describe('a worker that takes a host', () => {
  it('lets one go that has left, whatever else is true of it', async () => {
    const { sink, runs, outcomes } = await workerThatTakes((host) => {
      host.left = 'GONE';
      host.provisioned = true;
    });
    expect(sink.types).toEqual(['HOST_QUEUED', 'HOST_RELEASED']);
    expect([runs.all, outcomes]).toEqual([[], []]);
  });

  it('ends the run of one that is provisioned already, without a call, though it is stale', async () => {
    const { sink, runs, outcomes } = await workerThatTakes((host) => {
      host.provisioned = true;
    });
    expect(sink.types).toEqual(['HOST_QUEUED', 'RUN_STARTED']);
    expect([runs.all, outcomes]).toEqual([[], ['PROVISIONED']]);
  });

  it('skips one that is stale', async () => {
    const { runs, outcomes } = await workerThatTakes(() => {});
    expect([runs.all, outcomes]).toEqual([[], ['SKIPPED_STALE']]);
  });

  it('runs any other', async () => {
    const { runs } = await workerThatTakes((host) => {
      host.lastSightedAt = 1;
    });
    expect(runs.all.map(({ task }) => task.node.identity)).toEqual(['a']);
  });
});
