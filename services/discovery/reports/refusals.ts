// Says why reports are refused, so that an operator sees why a fleet does not come up: once a minute at most,
// however many peers are refused how often. Each refusal by itself is for the debug log.

import type { Clock } from '../../../shared/clock.js';
import type { RefusalReason } from '../nodes/announcement.js';

/** What was refused for one reason since the last summary. */
export interface RefusalSummary {
  readonly reason: RefusalReason;
  readonly reports: number;
  /** Whom they came from: a few of them, as {@link originOf} names them. */
  readonly from: readonly string[];
  /** What the last of them was told. */
  readonly message: string;
}

/** How often there is a summary, at most: milliseconds. */
const everyMs = 60_000;

const mostNamed = 5;

/** Pace is no fault of anybody; and late or repeated reports are refused in the normal course of things. */
const ordinary: ReadonlySet<RefusalReason> = new Set(['RATE_LIMITED', 'SEQUENCE_STALE', 'SEQUENCE_REUSED']);

interface Counted {
  reports: number;
  readonly from: Set<string>;
  message: string;
}

export class Refusals {
  readonly #clock: Clock;
  readonly #tell: (summaries: readonly RefusalSummary[]) => void;
  readonly #counted = new Map<RefusalReason, Counted>();
  #notBefore = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, tell: (summaries: readonly RefusalSummary[]) => void) {
    this.#clock = clock;
    this.#tell = tell;
  }

  count(reason: RefusalReason, origin: string, message: string): void {
    if (ordinary.has(reason)) return;
    const counted = this.#counted.get(reason);
    if (counted === undefined) {
      this.#counted.set(reason, { reports: 1, from: new Set([origin]), message });
      return;
    }
    counted.reports++;
    counted.message = message;
    if (counted.from.size < mostNamed) counted.from.add(origin);
  }

  /** To be called about once a second. */
  tick(): void {
    const now = this.#clock.monotonic();
    if (this.#counted.size === 0 || now < this.#notBefore) return;
    this.#notBefore = now + everyMs;
    const summaries = [...this.#counted].map(([reason, { reports, from, message }]) => ({
      reason,
      reports,
      from: [...from],
      message,
    }));
    this.#counted.clear();
    this.#tell(summaries);
  }
}
