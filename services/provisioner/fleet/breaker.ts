// The helper's breaker (design, section 7). A row of failures of the helper opens it: no run starts, and a failure of the
// helper is held against no node, until a probe, one run at a time after growing pauses, has a usable reply.

import { backoffMs } from '../../../shared/backoff.js';
import type { Clock } from '../../../shared/clock.js';
import type { RunId } from '../../../shared/identity.js';
import type { Random } from '../../../shared/random.js';
import type { EventSink } from '../events/event.js';
import { givenBack, type HelperBreaker, type HelperFailure } from '../run/helper-breaker.js';
import type { HelperFailureReason, Outcome } from '../run/outcome.js';

export interface BreakerOptions {
  /** Failures in a row at which it opens, at least 1. */
  readonly limit: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly sink: EventSink;
}

/** Who starts runs. */
export interface BreakerListener {
  /** Runs that have no reply of the helper yet are to give their worker back. */
  readonly opened: () => void;
  /** Runs, or one run, may start again. */
  readonly mayStart: () => void;
}

/** How the helper does for all nodes. Times are Unix milliseconds. */
export interface BreakerStanding {
  readonly failuresInRow: number;
  /** Of the last failure; empty where there was none. */
  readonly reason: HelperFailureReason | '';
  readonly message: string;
  /** Undefined where it is closed. */
  readonly open: OpenBreaker | undefined;
}

export interface OpenBreaker {
  readonly since: number;
  /** When the next probe may start. Not later than now where one may, or goes on. */
  readonly nextProbeAt: number;
}

interface Open {
  /** Wall clock. */
  readonly since: number;
  /** Monotonic, like the next. */
  readonly openedAt: number;
  probeAt: number;
  probesFailed: number;
  probe: 'PAUSED' | 'DUE' | RunId;
}

/** A helper that was mended is found out within this time, as soon as a node can be asked about. */
const pauses = { initialMs: 1_000, maxMs: 10_000 };

export class Breaker implements HelperBreaker {
  readonly #options: BreakerOptions;
  #listener: BreakerListener | undefined;
  #failuresInRow = 0;
  #last: HelperFailure | undefined;
  #open: Open | undefined;

  constructor(options: BreakerOptions) {
    this.#options = options;
  }

  get standing(): BreakerStanding {
    const { clock } = this.#options;
    const { reason = '', message = '' } = this.#last ?? {};
    const open = this.#open && {
      since: this.#open.since,
      nextProbeAt: clock.now() + this.#open.probeAt - clock.monotonic(),
    };
    return { failuresInRow: this.#failuresInRow, reason, message, open };
  }

  /** Tells who starts runs of every change that concerns them. */
  watch(listener: BreakerListener): void {
    this.#listener = listener;
  }

  /** Whether a run may start now. */
  get mayStart(): boolean {
    return this.#open === undefined || this.#open.probe === 'DUE';
  }

  /** A run has started. While it is open that is the probe. */
  started(runId: RunId): void {
    if (this.#open?.probe === 'DUE') this.#open.probe = runId;
  }

  /** A run has ended. One that was to show whether the helper works, and has not, makes room for another. */
  ended(runId: RunId): void {
    if (this.#open?.probe === runId) this.#open.probe = 'DUE';
  }

  mayAsk(runId: RunId): boolean {
    return this.#open === undefined || this.#open.probe === runId;
  }

  answered(): void {
    this.#failuresInRow = 0;
    if (this.#open === undefined) return;
    const { clock, sink } = this.#options;
    const afterMs = clock.monotonic() - this.#open.openedAt;
    this.#open = undefined;
    sink.publish({ type: 'BREAKER_CLOSED', afterMs });
    this.#listener?.mayStart();
  }

  failed(runId: RunId, failure: HelperFailure): Outcome {
    this.#failuresInRow += 1;
    this.#last = failure;
    if (this.#open === undefined) {
      if (this.#failuresInRow < this.#options.limit) return failure;
      this.#opens(failure);
      return givenBack;
    }
    if (this.#open.probe !== runId) return givenBack;
    this.#open.probesFailed += 1;
    this.#pause(this.#open);
    return { kind: 'CANCELLED', cause: 'BREAKER', probe: true };
  }

  #opens({ reason, message }: HelperFailure): void {
    const { clock, sink } = this.#options;
    const openedAt = clock.monotonic();
    this.#open = { since: clock.now(), openedAt, probeAt: openedAt, probesFailed: 0, probe: 'PAUSED' };
    this.#pause(this.#open);
    sink.publish({ type: 'BREAKER_OPENED', failures: this.#failuresInRow, reason, message });
    this.#listener?.opened();
  }

  #pause(open: Open): void {
    const { clock, random } = this.#options;
    const ms = backoffMs(open.probesFailed + 1, pauses, random);
    open.probe = 'PAUSED';
    open.probeAt = clock.monotonic() + ms;
    clock.setTimer(ms, () => {
      // Any usable reply closes it meanwhile.
      if (this.#open !== open) return;
      open.probe = 'DUE';
      this.#listener?.mayStart();
    });
  }
}
