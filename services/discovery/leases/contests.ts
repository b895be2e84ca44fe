// Two boots speak for one identity: the incumbent is asked whether it is still there. The newcomer is not
// kept waiting for that: its report is answered, and remembered here until the answer is known. One probe at a
// time for an identity, and a pause between them, so that machines that share a name cause no storm.

import type { Clock } from '../../../shared/clock.js';
import type { BootId, Identity } from '../../../shared/identity.js';
import type { Announcement, Outcome } from '../nodes/announcement.js';
import type { Limiter } from '../probes/limiter.js';
import type { Prober } from '../probes/prober.js';
import { type Speaker, sequenceClaim } from './claim.js';
import type { Lease } from './lease.js';

/** What a contest comes to. */
export interface ContestResults {
  /** The lease of the identity at present. */
  lease(identity: Identity): Lease | undefined;
  /**
   * The incumbent does not answer, or is gone: the newcomer has the lease. `tell` is true where it is a boot
   * that had lost the lease to the incumbent and was not told of lately: both live.
   */
  won(newcomer: Announcement, tell: boolean): void;
  /** The incumbent answered. `tell` is true where this newcomer was not told of lately. */
  stood(incumbent: Lease, newcomer: Announcement, tell: boolean): void;
}

export interface ContestOptions {
  readonly clock: Clock;
  readonly prober: Prober;
  readonly limiter: Limiter;
  readonly signal: AbortSignal;
  /** How often one newcomer is told of as a conflict, at most: milliseconds. */
  readonly tellEveryMs: number;
}

/** Pause after a probe that the incumbent answered, and after one that it did not: milliseconds. */
const pauseMs = { STOOD: 5000, WON: 1000 } as const;

/** Newcomers that are remembered for one identity. */
const mostNewcomers = 8;

/** What is remembered of a newcomer. */
interface Newcomer {
  last: Announcement;
  toldAt: number | undefined;
}

interface Contest {
  readonly identity: Identity;
  /** Whose report decides, when the answer is known: the latest. */
  candidate: Announcement | undefined;
  state: 'IDLE' | 'WAITING' | 'PROBING';
  /** Not probed before then: monotonic. */
  notBefore: number;
  readonly newcomers: Map<BootId, Newcomer>;
}

export class Contests {
  readonly #options: ContestOptions;
  readonly #results: ContestResults;
  readonly #contests = new Map<Identity, Contest>();
  /** Those that wait for the end of their pause. */
  readonly #waiting = new Set<Contest>();
  #forgetAt: number;

  constructor(options: ContestOptions, results: ContestResults) {
    this.#options = options;
    this.#results = results;
    this.#forgetAt = options.clock.monotonic() + options.tellEveryMs;
  }

  /** @returns what is due to a report of a newcomer that does not follow its last; undefined where it does */
  known(identity: Identity, speaker: Speaker): Outcome | undefined {
    const last = this.#contests.get(identity)?.newcomers.get(speaker.bootId)?.last;
    if (last?.source !== 'REPORTED') return undefined;
    const claim = sequenceClaim(last, speaker);
    return claim?.kind === 'REPEAT' ? { kind: 'ACCEPTED', reply: claim.reply } : claim;
  }

  /** A newcomer speaks for an identity that another boot, or another address, holds. */
  challenge(lease: Lease, newcomer: Announcement): void {
    const contest = this.#contestOf(lease.identity);
    this.#remember(contest, newcomer);
    contest.candidate = merged(contest.candidate, newcomer);
    if (contest.state !== 'IDLE') return;
    if (this.#options.clock.monotonic() >= contest.notBefore) {
      this.#probe(contest, lease);
    } else {
      contest.state = 'WAITING';
      this.#waiting.add(contest);
    }
  }

  /** A newcomer says that it stops. */
  withdraw(identity: Identity, bootId: BootId): void {
    const contest = this.#contests.get(identity);
    if (contest?.candidate?.bootId === bootId) contest.candidate = undefined;
  }

  /** Probes for those whose pause is over. To be called about once a second. */
  tick(): void {
    const now = this.#options.clock.monotonic();
    for (const contest of this.#waiting) {
      if (contest.notBefore > now) continue;
      this.#waiting.delete(contest);
      contest.state = 'IDLE';
      this.#decide(contest);
    }
    if (now >= this.#forgetAt) this.#forget(now);
  }

  /** How many identities were contested of late. */
  get size(): number {
    return this.#contests.size;
  }

  /** The candidate has the lease if it is free; else the incumbent is asked. */
  #decide(contest: Contest): void {
    const { candidate } = contest;
    if (candidate === undefined) return;
    const lease = this.#results.lease(contest.identity);
    if (lease === undefined || lease.phase === 'GONE') this.#win(contest, candidate, lease);
    else if (!holds(lease, candidate)) this.#probe(contest, lease);
    else contest.candidate = undefined;
  }

  #probe(contest: Contest, { bootId, address }: Lease): void {
    const { prober, limiter, signal } = this.#options;
    contest.state = 'PROBING';
    const answers = limiter.run(() => prober.identify(address, signal), signal);
    answers.then(
      (result) => {
        const there =
          result.kind === 'ANSWERED' && result.identity === contest.identity && result.bootId === bootId;
        this.#settle(contest, bootId, address, there);
      },
      () => this.#settle(contest, bootId, address, true),
    );
  }

  #settle(contest: Contest, bootId: BootId, address: string, there: boolean): void {
    contest.state = 'IDLE';
    contest.notBefore = this.#options.clock.monotonic() + (there ? pauseMs.STOOD : pauseMs.WON);
    const { candidate } = contest;
    const lease = this.#results.lease(contest.identity);
    const stillHeld = lease?.phase !== 'GONE' && lease?.bootId === bootId && lease.address === address;
    if (candidate === undefined || this.#options.signal.aborted) return;
    if (lease === undefined || !stillHeld) {
      this.#decide(contest);
    } else if (there) {
      contest.candidate = undefined;
      this.#results.stood(
        lease,
        candidate,
        !isSameNode(lease, candidate) && this.#mayTell(contest, candidate),
      );
    } else {
      this.#win(contest, candidate, lease);
    }
  }

  #win(contest: Contest, candidate: Announcement, lease: Lease | undefined): void {
    contest.candidate = undefined;
    const returns = lease?.phase !== 'GONE' && lease?.replaced?.bootId === candidate.bootId;
    this.#results.won(candidate, returns && this.#mayTell(contest, candidate));
  }

  #mayTell(contest: Contest, candidate: Announcement): boolean {
    const now = this.#options.clock.monotonic();
    const newcomer = contest.newcomers.get(candidate.bootId);
    if (newcomer === undefined) return true;
    if (newcomer.toldAt !== undefined && now - newcomer.toldAt < this.#options.tellEveryMs) return false;
    newcomer.toldAt = now;
    return true;
  }

  #contestOf(identity: Identity): Contest {
    let contest = this.#contests.get(identity);
    if (contest === undefined) {
      contest = { identity, candidate: undefined, state: 'IDLE', notBefore: 0, newcomers: new Map() };
      this.#contests.set(identity, contest);
    }
    return contest;
  }

  #remember(contest: Contest, newcomer: Announcement): void {
    const known = contest.newcomers.get(newcomer.bootId);
    if (known !== undefined && known.last.address === newcomer.address) {
      known.last = newcomer;
      return;
    }
    contest.newcomers.delete(newcomer.bootId);
    contest.newcomers.set(newcomer.bootId, { last: newcomer, toldAt: undefined });
    if (contest.newcomers.size <= mostNewcomers) return;
    const oldest = contest.newcomers.keys().next().value;
    if (oldest !== undefined) contest.newcomers.delete(oldest);
  }

  /** Contests in which nothing has happened for a while are over. */
  #forget(now: number): void {
    const { tellEveryMs } = this.#options;
    this.#forgetAt = now + tellEveryMs;
    for (const contest of this.#contests.values()) {
      if (contest.state === 'IDLE' && contest.notBefore + 2 * tellEveryMs < now) {
        this.#contests.delete(contest.identity);
      }
    }
  }
}

/** An ALIVE that follows the STARTUP of the same boot does not make it less of a start. */
function merged(before: Announcement | undefined, now: Announcement): Announcement {
  if (before?.bootId !== now.bootId || now.type !== 'ALIVE') return now;
  const { type, eventId, runId, configurationDigest } = before;
  return { ...now, type, eventId, runId, configurationDigest };
}

/** One node that was found at two targets, or reports from one address and is a target at another. */
function isSameNode(lease: Lease, candidate: Announcement): boolean {
  return candidate.source === 'PROBED' && candidate.bootId === lease.bootId;
}

function holds(lease: Lease, candidate: Announcement): boolean {
  return lease.bootId === candidate.bootId && lease.address === candidate.address;
}
