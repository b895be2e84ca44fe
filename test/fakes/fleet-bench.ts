// A fleet of which a test holds all the strings: time, runs, and whether incumbents answer.

import { Breaker } from '../../services/provisioner/fleet/breaker.js';
import { Fleet, type FleetOptions } from '../../services/provisioner/fleet/fleet.js';
import { Freshness } from '../../services/provisioner/fleet/freshness.js';
import type { SightedNode } from '../../services/provisioner/fleet/node-event.js';
import type { CutOff } from '../../services/provisioner/run/cut-off.js';
import type { FailureReason, Outcome } from '../../services/provisioner/run/outcome.js';
import type { Fetched } from '../../services/provisioner/run/run.js';
import { FakeClock, settle } from './fake-clock.js';
import { FakeRuns } from './fake-runs.js';
import { RecordingSink } from './recording-sink.js';

export const intervalMs = 60_000;

export class FleetBench {
  readonly clock = new FakeClock();
  readonly runs = new FakeRuns();
  readonly sink = new RecordingSink();
  readonly freshness = new Freshness(this.clock, intervalMs);
  /** Incumbents that answer when they are asked. */
  readonly stillThere: SightedNode[] = [];
  readonly breaker: Breaker;
  readonly fleet: Fleet;

  /** @param breakerLimit failures of the helper in a row that stop all runs */
  constructor(over: Partial<FleetOptions> = {}, breakerLimit = 20) {
    const { clock, sink } = this;
    this.freshness.synced('discovery-1:7412', intervalMs);
    // In the middle: no jitter.
    const random = () => 0.5;
    this.breaker = new Breaker({ limit: breakerLimit, clock, random, sink });
    this.fleet = new Fleet({
      workers: 1,
      queueLimit: 100,
      holdMs: 60_000,
      backoffMaxMs: 1_800_000,
      clock,
      random,
      freshness: this.freshness,
      breaker: this.breaker,
      startRun: this.runs.start,
      isStillThere: (incumbent) => Promise.resolve(this.stillThere.includes(incumbent)),
      arrived: () => {},
      sink,
      ...over,
    });
  }

  /** Ends the run that was started last. */
  async end(outcome: Outcome, fetched?: Fetched, cutOff?: CutOff): Promise<void> {
    this.runs.last.end(outcome, fetched, cutOff);
    await settle();
  }

  /** Whom runs were started for, in order. */
  get ran(): string[] {
    return this.runs.all.map((run) => run.task.node.identity);
  }
}

export const provisioned: Outcome = { kind: 'PROVISIONED', unsettled: false };

export const supersededByBoot: Outcome = { kind: 'SUPERSEDED', by: 'BOOT', message: '' };

export function failure(reason: FailureReason = 'UNREACHABLE'): Outcome {
  return { kind: 'FAILED', reason, message: 'it failed' };
}
