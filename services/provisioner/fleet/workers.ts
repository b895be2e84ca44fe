// The workers: so many runs go on at once. Takes hosts from the queue, asks of each whether it is still to
// be run, starts its run and hands back how it ended. What follows an end is the fleet's matter.

import { newRunId } from '../../../shared/identity.js';
import type { EventSink } from '../events/event.js';
import type { Interruption, Outcome } from '../run/outcome.js';
import type { RunInProgress, RunResult, StartRun } from '../run/run.js';
import type { Breaker } from './breaker.js';
import type { Counters, CutOffRun } from './counters.js';
import type { Freshness } from './freshness.js';
import type { Host } from './host.js';
import type { Hosts } from './hosts.js';

export interface WorkersOptions {
  readonly workers: number;
  readonly hosts: Hosts;
  readonly counters: Counters;
  readonly freshness: Freshness;
  readonly breaker: Pick<Breaker, 'mayStart' | 'started' | 'ended'>;
  readonly startRun: StartRun;
  readonly sink: EventSink;
  /** Asked before each run. */
  readonly mayStart: () => boolean;
  /** Told how each run ended, and which run before it was cut off. */
  readonly ended: (host: Host, result: RunResult, cutOffRun?: CutOffRun) => void;
}

export class Workers {
  readonly #options: WorkersOptions;
  readonly #running = new Set<RunInProgress>();

  constructor(options: WorkersOptions) {
    this.#options = options;
  }

  get busy(): number {
    return this.#running.size;
  }

  /** Starts runs while there are workers, hosts and leave to do so. */
  fill(): void {
    const { workers, hosts, mayStart, breaker } = this.#options;
    while (this.#running.size < workers && mayStart() && breaker.mayStart) {
      const host = hosts.take();
      if (host === undefined) return;
      this.#take(host);
    }
  }

  /** Asks every run before its point of no return to stop. */
  interrupt(cause: Interruption): void {
    for (const run of this.#running) run.interrupt(cause);
  }

  /** Interrupts what can be interrupted, hurries the rest, and waits for the end of all. */
  async stop(graceMs: number): Promise<void> {
    for (const run of this.#running) {
      run.interrupt('STOPPING');
      run.hurry(graceMs);
    }
    await Promise.all([...this.#running].map((run) => run.finished));
  }

  #take(host: Host): void {
    const { hosts, freshness } = this.#options;
    if (host.left !== undefined) {
      hosts.release(host, host.left);
    } else if (host.provisioned) {
      this.#endAtOnce(host, { kind: 'PROVISIONED', unsettled: false });
    } else if (host.wish === undefined && freshness.isStale(host.lastSightedAt)) {
      const message = 'not sighted for more than twice the interval';
      this.#endAtOnce(host, { kind: 'SKIPPED_STALE', message });
    } else {
      this.#begin(host);
    }
  }

  /** A run that makes no RPC. */
  #endAtOnce(host: Host, outcome: Outcome): void {
    const runId = newRunId();
    this.#publishStart(host, { runId, fence: 0n });
    this.#options.ended(host, { runId, outcome, fetched: host.fetched, durationMs: 0 });
  }

  #begin(host: Host): void {
    const { hosts, counters, breaker, startRun, ended } = this.#options;
    const cutOffRun = counters.cutOffRun(host.identity, host.node.bootId);
    const run = startRun({
      node: host.node,
      fetched: host.fetched,
      upgradedFrom: counters.upgradedFrom(host.identity),
      ...(cutOffRun && { cutOffRun: cutOffRun.runId }),
      ...(host.wish?.kind === 'PROVISION' && host.wish.force && { force: true }),
    });
    breaker.started(run.runId);
    hosts.run(host, run);
    this.#running.add(run);
    this.#publishStart(host, run);
    void run.finished.then((result) => {
      this.#running.delete(run);
      breaker.ended(run.runId);
      ended(host, result, cutOffRun);
      this.fill();
    });
  }

  #publishStart({ identity, node }: Host, { runId, fence }: Pick<RunInProgress, 'runId' | 'fence'>): void {
    const { sink, counters } = this.#options;
    const { bootId, address } = node;
    const failuresInRow = counters.failuresInRow(identity);
    sink.publish({ type: 'RUN_STARTED', identity, runId, fence, bootId, address, failuresInRow });
  }
}
