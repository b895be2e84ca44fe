// What reaches into a run from outside: interruption, its time limit, the node's own news, and the hurry of
// a service that stops; and when each of them counts (design, section 6, "Point of no return").

import type { Clock, Timer } from '../../../shared/clock.js';
import { formatDuration } from '../../../shared/durations.js';
import type { StepName } from '../events/event.js';
import { givenBack } from './helper-breaker.js';
import type { Interruption, Outcome } from './outcome.js';

/** How much of the grace is over when a step has to be. The rest is for the steps after it and for the end. */
const shareOfGrace = { SHUTDOWN: 0.9, UPDATE_RELEASE: 0.9, CONFIGURE: 0.5, RESTART: 0.9 } as const;

/** The steps that a stopping service waits for: what they did to the node has to be known. */
type AwaitedStep = keyof typeof shareOfGrace;

export class Control {
  readonly #clock: Clock;
  readonly #runTimeoutMs: number;
  readonly #listeners = new Set<() => void>();
  #closed = false;
  #stop: Outcome | undefined;
  #needsHelper = true;
  #past = false;
  #settled = false;
  #hurry: { readonly from: number; readonly graceMs: number } | undefined;
  #timer: Timer | undefined;
  #timerSince = 0;
  #runTimeLeftMs: number;

  constructor(clock: Clock, runTimeoutMs: number) {
    this.#clock = clock;
    this.#runTimeoutMs = runTimeoutMs;
    this.#runTimeLeftMs = runTimeoutMs;
    this.resumeTimeout();
  }

  /** How the run has to end now; undefined where it goes on. */
  get end(): Outcome | undefined {
    if (!this.#past) return this.#stop;
    return this.#settled ? { kind: 'PROVISIONED', unsettled: false } : undefined;
  }

  /**
   * The first cause counts. Past the point of no return it is kept, and counts only if the run turns back. That the
   * helper fails is nothing to a run that has its reply.
   */
  interrupt(cause: Interruption): void {
    if (cause === 'BREAKER' && !this.#needsHelper) return;
    this.#stopBy(stopped(cause));
  }

  /** A run that starts over needs the helper once more. */
  asksHelper(): void {
    this.#needsHelper = true;
  }

  helperAnswered(): void {
    this.#needsHelper = false;
  }

  /** The node came up with this run's configuration. Says nothing before the point of no return. */
  settle(): void {
    if (!this.#past) return;
    this.#settled = true;
    this.#changed();
  }

  /** The service stops in `graceMs`. The shorter of several counts. */
  hurry(graceMs: number): void {
    const from = this.#clock.monotonic();
    if (this.#hurry === undefined || from + graceMs < this.#hurry.from + this.#hurry.graceMs) {
      this.#hurry = { from, graceMs };
    }
    this.#changed();
  }

  /** From here on only the node's own news ends the run. */
  passPointOfNoReturn(): void {
    this.#past = true;
  }

  /** The node certainly committed nothing, and the run starts over. */
  turnBack(): void {
    this.#past = false;
  }

  /** Milliseconds until a step has to be over; Infinity where nothing presses. */
  timeLeftMs(step: StepName): number {
    if (this.#hurry === undefined || !isAwaited(step)) return Number.POSITIVE_INFINITY;
    const { from, graceMs } = this.#hurry;
    return Math.max(0, from + graceMs * shareOfGrace[step] - this.#clock.monotonic());
  }

  /** While the run waits for something that is not the node's or the helper's doing. */
  pauseTimeout(): void {
    if (this.#timer === undefined) return;
    this.#timer.cancel();
    this.#timer = undefined;
    this.#runTimeLeftMs -= this.#clock.monotonic() - this.#timerSince;
  }

  resumeTimeout(): void {
    if (this.#timer !== undefined || this.#closed) return;
    this.#timerSince = this.#clock.monotonic();
    this.#timer = this.#clock.setTimer(this.#runTimeLeftMs, () => {
      const message = `the run took longer than ${formatDuration(this.#runTimeoutMs)}`;
      this.#stopBy({ kind: 'FAILED', reason: 'RUN_TIMEOUT', message });
    });
  }

  /** @returns what takes the listener off again */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
    this.#listeners.clear();
  }

  #stopBy(outcome: Outcome): void {
    if (this.#stop !== undefined) return;
    this.#stop = outcome;
    if (!this.#past) this.#changed();
  }

  #changed(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

function isAwaited(step: StepName): step is AwaitedStep {
  return step in shareOfGrace;
}

function stopped(cause: Interruption): Outcome {
  if (cause === 'SUPERSEDED') {
    return { kind: 'SUPERSEDED', by: 'BOOT', message: 'another boot of the node was sighted' };
  }
  return cause === 'BREAKER' ? givenBack : { kind: 'CANCELLED', cause };
}
