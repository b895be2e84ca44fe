// How often nodes report. Those that are known are told when to come next; when more come than are wanted,
// they are sent away until a time that spreads them (design, section 4).

import type { Clock } from '../../../shared/clock.js';
import type { Reply } from '../nodes/announcement.js';
import type { Load } from './load.js';

export interface PaceOptions {
  readonly reportIntervalMs: number;
  readonly maxReportsPerSecond: number;
}

/** The shortest lease: milliseconds. */
const shortestLeaseMs = 30_000;

/** Bounds of what a node that is sent away is told to wait: milliseconds. */
const shortestWaitMs = 500;
const longestWaitMs = 120_000;

/** Nodes that are known make room for those that are not, by coming as seldom as this at the most: milliseconds. */
const longestForCrowdMs = 300_000;

export class Pace {
  readonly #clock: Clock;
  readonly #options: PaceOptions;
  readonly #load: Pick<Load, 'perSecond' | 'crowding'>;
  /** Reports that may come at once: a second's worth. Below zero where there were some that had to be taken. */
  #tokens: number;
  #filledAt: number;
  /** When those that were sent away will all have had their turn: monotonic. */
  #backlogUntil = 0;

  constructor(clock: Clock, options: PaceOptions, load: Pick<Load, 'perSecond' | 'crowding'>) {
    this.#clock = clock;
    this.#options = options;
    this.#load = load;
    this.#tokens = options.maxReportsPerSecond;
    this.#filledAt = clock.monotonic();
  }

  /**
   * What a node is told whose report is taken: so seldom that all fit into the rate, and into what this process can
   * take; and more seldom while others do not get in, for after a start those that are known are few at first, and would
   * keep all others out by reporting often.
   *
   * @param nodes how many nodes report
   */
  reply(nodes: number): Reply {
    const { reportIntervalMs, maxReportsPerSecond } = this.#options;
    const perSecond = Math.min(maxReportsPerSecond, this.#load.perSecond);
    const usualMs = Math.max(reportIntervalMs, (nodes * 1000) / perSecond);
    const nextReportMs = Math.ceil(
      Math.max(usualMs, Math.min(usualMs * this.#load.crowding, longestForCrowdMs)),
    );
    return { nextReportMs, leaseMs: Math.max(3 * nextReportMs, shortestLeaseMs) };
  }

  /**
   * Counts a report.
   *
   * @param urgent it must be taken, also over the rate
   * @returns undefined where it is taken; else the milliseconds that its node is to wait: until those that were
   * sent away before it have had their turn
   */
  admit(urgent: boolean): number | undefined {
    this.#fill();
    const { maxReportsPerSecond } = this.#options;
    if (this.#tokens >= 1 || urgent) {
      this.#tokens = Math.max(this.#tokens - 1, -maxReportsPerSecond);
      return undefined;
    }
    const now = this.#clock.monotonic();
    const turn = Math.max(this.#backlogUntil, now) + 1000 / maxReportsPerSecond;
    this.#backlogUntil = Math.min(turn, now + longestWaitMs);
    return Math.max(Math.ceil(this.#backlogUntil - now), shortestWaitMs);
  }

  #fill(): void {
    const { maxReportsPerSecond } = this.#options;
    const now = this.#clock.monotonic();
    const gained = ((now - this.#filledAt) * maxReportsPerSecond) / 1000;
    this.#tokens = Math.min(this.#tokens + gained, maxReportsPerSecond);
    this.#filledAt = now;
  }
}
