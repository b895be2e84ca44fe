// How far the fleet has come, from the provisioner's metrics, and how that is shown.

import type { Samples } from '../launch/scrape.js';

export interface Progress {
  readonly queued: number;
  readonly running: number;
  readonly confirmed: number;
  readonly failedRuns: number;
}

/** @returns the counts of one scrape of the provisioner */
export function readProgress(samples: Samples): Progress {
  return {
    queued: samples.sum('slipway_provisioner_hosts', { state: 'QUEUED' }),
    running: samples.sum('slipway_provisioner_hosts', { state: 'RUNNING' }),
    confirmed: samples.sum('slipway_provisioner_confirmed_total'),
    failedRuns: samples.sum('slipway_provisioner_runs_total', { outcome: 'FAILED' }),
  };
}

/** @returns one line of progress; `seconds` is the time since the start */
export function progressLine(progress: Progress, nodes: number, seconds: number): string {
  const rate = seconds > 0 ? progress.confirmed / seconds : 0;
  return [
    `${seconds.toFixed(1).padStart(6)} s`,
    `queued ${progress.queued}`,
    `running ${progress.running}`,
    `confirmed ${progress.confirmed} of ${nodes}`,
    `failed ${progress.failedRuns}`,
    `${rate.toFixed(1)} nodes/s`,
  ].join('   ');
}

/** Shows progress: one line that is written over on a terminal, a line a change elsewhere. */
export class ProgressDisplay {
  readonly #out: NodeJS.WriteStream;
  #last = '';

  constructor(out: NodeJS.WriteStream) {
    this.#out = out;
  }

  show(progress: Progress, nodes: number, seconds: number): void {
    const line = progressLine(progress, nodes, seconds);
    if (this.#out.isTTY) {
      this.#out.write(`\r${line}\u001b[K`);
      return;
    }
    const state = JSON.stringify(progress);
    if (state !== this.#last) this.#out.write(`${line}\n`);
    this.#last = state;
  }

  /** Leaves the line. */
  end(): void {
    if (this.#out.isTTY) this.#out.write('\n');
  }
}
