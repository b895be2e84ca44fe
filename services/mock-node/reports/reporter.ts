// Reports one boot of one node to discovery, at discovery's pace, for as long as there is something to say.
// Discovery may be away for as long as it likes: a reporter never gives up.

import { status } from '@grpc/grpc-js';
import { type BackoffOptions, backoffMs } from '../../../shared/backoff.js';
import { type Clock, sleep } from '../../../shared/clock.js';
import { RpcError } from '../../../shared/grpc/errors.js';
import type { Logger } from '../../../shared/logger.js';
import type { Random } from '../../../shared/random.js';
import type { Provisioned, Registry, Report } from './report.js';

export interface ReporterOptions {
  readonly registry: Registry;
  /** What every report of this boot says. */
  readonly facts: Pick<Report, 'identity' | 'bootId' | 'version' | 'host' | 'port'>;
  /** Undefined where the boot is in provisioning mode. */
  readonly provisioned: Provisioned | undefined;
  /** This is the first boot since the node's release was replaced. */
  readonly upgraded: boolean;
  readonly newEventId: () => string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/**
 * Where discovery does not answer, a node waits ever longer, up to a minute, and each for a time of its own: a fleet that
 * came back as one would keep discovery from ever coming back itself.
 */
const backoff: BackoffOptions = { initialMs: 1_000, maxMs: 60_000, jitter: [0.1, 1] };

/** A node that was told its pace waits no longer than that, for its lease does not either; but so long: milliseconds. */
const leastMaxMs = 5_000;

/** How long a configured node repeats PROVISIONED after it was first heard: milliseconds (design, section 4). */
const repeatProvisionedMs = 600_000;

/** A pace within reason, whatever discovery says: milliseconds. */
const shortestPaceMs = 100;
const longestPaceMs = 3_600_000;

/** A node waits up to this much longer than it was told to, so that a fleet that started at once spreads. */
const paceJitter = 0.1;

/** Why something that was being said was cut off. */
const silenced = new Error('the report was cut off');

type Event = Pick<Report, 'type' | 'eventId'>;

export class Reporter {
  readonly #options: ReporterOptions;
  #speaking = new AbortController();
  #spoken: Promise<void> = Promise.resolve();
  #sequence = 0;
  /** The signal of what a report that is under way says. One that was cut off may end after the next has begun. */
  #underWay: AbortSignal | undefined;
  /** Discovery knows of this boot, or may. */
  #known = false;
  /** The pace that discovery asked for last: milliseconds. */
  #paceMs = backoff.maxMs;
  #closing = false;

  constructor(options: ReporterOptions) {
    this.#options = options;
  }

  /** Begins: STARTUP, or UPGRADED, and then ALIVE; or PROVISIONED for a while. */
  start(): void {
    this.#say((signal) =>
      this.#options.provisioned === undefined
        ? this.#reportWaiting(signal, this.#options.upgraded ? 'UPGRADED' : 'STARTUP')
        : this.#reportProvisioned(signal),
    );
  }

  /** The node has a stop pending: reports SHUTDOWN and nothing more; nothing at all where nobody knows of it. */
  announceStop(): void {
    if (!this.#known && this.#underWay === undefined) this.#speaking.abort(silenced);
    else this.#say((signal) => this.#deliver(this.#newEvent('SHUTDOWN'), signal));
  }

  /** The node does not stop after all: it waits again, and says so. */
  goOn(): void {
    this.#say((signal) => this.#reportWaiting(signal, 'ALIVE'));
  }

  /** Resolves when nothing is reported any more. A report under way has `graceMs` to get through. */
  async close(graceMs: number): Promise<void> {
    const { clock } = this.#options;
    const speaking = this.#speaking;
    this.#closing = true;
    if (this.#underWay === undefined) speaking.abort(silenced);
    const timer = clock.setTimer(graceMs, () => speaking.abort(silenced));
    await this.#spoken;
    timer.cancel();
  }

  /** Cuts off what was being said and says this instead. */
  #say(speech: (signal: AbortSignal) => Promise<unknown>): void {
    this.#speaking.abort(silenced);
    this.#speaking = new AbortController();
    const { signal } = this.#speaking;
    this.#spoken = speech(signal).then(
      () => {},
      (error) => {
        if (!signal.aborted && !this.#closing) this.#options.log.error({ err: error }, 'reporting ended');
      },
    );
  }

  async #reportWaiting(signal: AbortSignal, first: 'STARTUP' | 'UPGRADED' | 'ALIVE'): Promise<void> {
    let paceMs = await this.#deliver(this.#newEvent(first), signal);
    for (;;) {
      await sleep(this.#options.clock, this.#pause(paceMs), signal);
      paceMs = await this.#deliver(this.#newEvent('ALIVE'), signal);
    }
  }

  async #reportProvisioned(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const event = this.#newEvent('PROVISIONED');
    let paceMs = await this.#deliver(event, signal);
    const end = clock.monotonic() + repeatProvisionedMs;
    while (clock.monotonic() < end) {
      await sleep(clock, this.#pause(paceMs), signal);
      paceMs = await this.#deliver(event, signal);
    }
  }

  /** Tries until discovery has taken the report. @returns the pace that it asked for */
  async #deliver(event: Event, signal: AbortSignal): Promise<number> {
    const { registry, clock, random, log } = this.#options;
    let report = this.#newReport(event);
    for (let attempt = 1; ; attempt++) {
      signal.throwIfAborted();
      try {
        this.#underWay = signal;
        const paceMs = await registry.report(report, signal).finally(() => {
          if (this.#underWay === signal) this.#underWay = undefined;
        });
        this.#known = true;
        this.#paceMs = paceMs;
        signal.throwIfAborted();
        if (this.#closing) this.#speaking.abort(silenced);
        log.debug({ report: report.type, sequence: report.sequence }, 'reported');
        return paceMs;
      } catch (error) {
        const fate = fateOf(error);
        if (fate === 'UNCERTAIN') this.#known = true;
        signal.throwIfAborted();
        if (this.#closing) throw error;
        log.debug({ report: report.type, attempt, err: error }, 'report failed');
        await sleep(clock, pauseAfter(error, attempt, this.#paceMs, random), signal);
        // What may have arrived is repeated as it was; what was refused is said anew.
        if (fate === 'REFUSED') report = this.#newReport(event);
      }
    }
  }

  #newEvent(type: Report['type']): Event {
    return { type, eventId: this.#options.newEventId() };
  }

  #newReport(event: Event): Report {
    const { facts, clock, provisioned } = this.#options;
    return {
      ...facts,
      ...event,
      time: clock.now(),
      sequence: ++this.#sequence,
      provisioned: event.type === 'PROVISIONED' ? provisioned : undefined,
    };
  }

  #pause(paceMs: number): number {
    return withinReason(paceMs) * (1 + paceJitter * this.#options.random());
  }
}

/**
 * Discovery's own word is obeyed: a node waits as long as it was told, and up to as long again, so that all who
 * were told the same do not come back at once.
 */
function pauseAfter(error: unknown, attempt: number, paceMs: number, random: Random): number {
  const asked = error instanceof RpcError ? error.retryAfterMs : undefined;
  if (asked !== undefined) return withinReason(asked) * (1 + random());
  const maxMs = Math.min(Math.max(paceMs, leastMaxMs), backoff.maxMs);
  return backoffMs(attempt, { ...backoff, maxMs }, random);
}

function withinReason(ms: number): number {
  return Math.min(Math.max(ms, shortestPaceMs), longestPaceMs);
}

/** What became of a report that failed: it cannot have arrived, may have, or did and was refused. */
function fateOf(error: unknown): 'LOST' | 'UNCERTAIN' | 'REFUSED' {
  if (!(error instanceof RpcError)) return 'UNCERTAIN';
  switch (error.code) {
    case status.UNAVAILABLE:
    case status.DEADLINE_EXCEEDED:
    case status.CANCELLED:
      return error.neverConnected ? 'LOST' : 'UNCERTAIN';
    case status.RESOURCE_EXHAUSTED:
      return 'LOST';
    default:
      return 'REFUSED';
  }
}
