// How far the fleet has come, from the provisioner's metrics, and when it will get no further.

import type { Samples } from '../launch/scrape.js';

export interface Progress {
  readonly queued: number;
  readonly running: number;
  /** Nodes that were configured and restarted and have not been seen to come up yet. */
  readonly restarting: number;
  readonly confirmed: number;
  /** Nodes that were configured and did not say in time that they came up. */
  readonly missed: number;
  /** Nodes that the helper wanted shut down. */
  readonly shutDown: number;
  /** Runs that the helper put off. */
  readonly deferredRuns: number;
  readonly failedRuns: number;
  /** Failed runs by reason. */
  readonly reasons: ReadonlyMap<string, number>;
}

export const nothingYet: Progress = {
  queued: 0,
  running: 0,
  restarting: 0,
  confirmed: 0,
  missed: 0,
  shutDown: 0,
  deferredRuns: 0,
  failedRuns: 0,
  reasons: new Map(),
};

/** @returns the counts of one scrape of the provisioner */
export function readProgress(samples: Samples): Progress {
  const runs = 'slipway_provisioner_runs_total';
  const hosts = (state: string) => samples.sum('slipway_provisioner_hosts', { state });
  const outcome = (name: string) => samples.sum(runs, { outcome: name });
  const confirmed = samples.sum('slipway_provisioner_confirmed_total');
  const missed = samples.sum('slipway_provisioner_confirmations_missed_total');
  return {
    queued: hosts('QUEUED'),
    running: hosts('RUNNING'),
    restarting: Math.max(0, outcome('PROVISIONED') - confirmed - missed),
    confirmed,
    missed,
    shutDown: outcome('SHUT_DOWN'),
    deferredRuns: outcome('DEFERRED'),
    failedRuns: outcome('FAILED'),
    reasons: samples.sumBy('reason', runs, { outcome: 'FAILED' }),
  };
}

/** Looks at progress as it comes and knows when there will be no more. */
export class Course {
  readonly #nodes: number;
  #confirmed = 0;
  /** Runs that had failed or been put off when a node was last confirmed. */
  #inVainBefore = 0;

  constructor(nodes: number) {
    this.#nodes = nodes;
  }

  /**
   * Tells whether the fleet has come to its end: every node is confirmed, or each other one was shut down, did not
   * come up, or has had two turns in vain since the last success, so that a third would end no better.
   */
  isOver(progress: Progress): boolean {
    const { restarting, confirmed, missed, shutDown, failedRuns, deferredRuns } = progress;
    const inVain = failedRuns + deferredRuns;
    if (confirmed > this.#confirmed) this.#inVainBefore = inVain;
    this.#confirmed = confirmed;
    if (confirmed >= this.#nodes) return true;
    const left = Math.max(0, this.#nodes - confirmed - missed - shutDown);
    return restarting === 0 && inVain - this.#inVainBefore >= 2 * left;
  }
}
