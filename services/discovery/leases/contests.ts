// Two boots speak for one identity: the incumbent is asked whether it is still there. The newcomer is not
// kept waiting for that: its report is answered, and remembered here until the answer is known. One probe at a
// time for an identity, and a pause between them, so that machines that share a name cause no storm.

import type { Clock } from '../../../shared/clock.js';
import type { Identity } from '../../../shared/identity.js';
import type { Announcement, Outcome } from '../nodes/announcement.js';
import { isSameBoot } from '../nodes/boot.js';
import type { Limiter } from '../probes/limiter.js';
import type { Prober } from '../probes/prober.js';
import { preferred } from './candidate.js';
import { isKeptFrom, type Speaker, sequenceClaim } from './claim.js';
import type { Lease } from './lease.js';
import { Newcomers } from './newcomers.js';

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
  /** Told where the newcomer at another address has the lease, since the incumbent, which did not say that it stops,
   * does not answer. */
  readonly passed?: (incumbent: Lease, newcomer: Announcement) => void;
}

/** Pause after a probe that the incumbent answered, and after one that it did not: milliseconds. */
const pauseMs = { STOOD: 5000, WON: 1000 } as const;

interface Contest {
  readonly identity: Identity;
  /** Whose report decides, when the answer is known. */
  candidate: Announcement | undefined;
  state: 'IDLE' | 'WAITING' | 'PROBING';
  /** Not probed before then: monotonic. */
  notBefore: number;
  readonly newcomers: Newcomers;
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
    const last = this.#contests.get(identity)?.newcomers.last(speaker);
    if (last?.source !== 'REPORTED') return undefined;
    const claim = sequenceClaim(last, speaker);
    return claim?.kind === 'REPEAT' ? { kind: 'ACCEPTED', reply: claim.reply } : claim;
  }

  /** A newcomer speaks for an identity that another boot, or another address, holds. */
  challenge(lease: Lease, newcomer: Announcement): void {
    const contest = this.#contestOf(lease.identity);
    contest.newcomers.remember(newcomer);
    contest.candidate = preferred(lease, contest.candidate, newcomer);
    if (contest.state !== 'IDLE') return;
    if (this.#options.clock.monotonic() >= contest.notBefore) {
      this.#probe(contest, lease);
    } else {
      contest.state = 'WAITING';
      this.#waiting.add(contest);
    }
  }

  /**
   * Another boot than the holder, or the same from elsewhere, says that it stops. That wins nothing; and where
   * nobody knows that boot, whether it speaks for a node that goes on is worth asking.
   */
  withdraw(lease: Lease, newcomer: Announcement): void {
    const contest = this.#contests.get(lease.identity);
    if (contest?.newcomers.last(newcomer) !== undefined) {
      const { candidate } = contest;
      if (candidate !== undefined && isSameBoot(candidate, newcomer)) contest.candidate = undefined;
    } else if (lease.replaced === undefined || !isSameBoot(lease.replaced, newcomer)) {
      this.challenge(lease, newcomer);
    }
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

  /** The candidate has the lease if it is free; else the incumbent is asked, where there is one. */
  #decide(contest: Contest): void {
    const { candidate } = contest;
    if (candidate === undefined) return;
    const lease = this.#results.lease(contest.identity);
    if (lease === undefined) this.#win(contest, candidate, lease);
    else if (lease.phase === 'GONE' && !isKeptFrom(lease, candidate)) this.#win(contest, candidate, lease);
    else if (lease.phase !== 'GONE' && !holds(lease, candidate)) this.#probe(contest, lease);
    else contest.candidate = undefined;
  }

  /** On the certificate that the lease is bound to: another one at that address is not the incumbent. */
  #probe(contest: Contest, lease: Lease): void {
    const { prober, limiter, signal } = this.#options;
    const { bootId, address, certificateSha256 } = lease;
    const asked = { bootId, address, certificateSha256 };
    contest.state = 'PROBING';
    const answers = limiter.run(() => prober.identify(address, certificateSha256, signal), signal);
    answers.then(
      (result) => {
        const there =
          result.kind === 'ANSWERED' && result.identity === contest.identity && isSameBoot(result, asked);
        this.#settle(contest, asked, there);
      },
      () => this.#settle(contest, asked, true),
    );
  }

  #settle(contest: Contest, asked: Holder, there: boolean): void {
    contest.state = 'IDLE';
    contest.notBefore = this.#options.clock.monotonic() + (there ? pauseMs.STOOD : pauseMs.WON);
    const { candidate } = contest;
    const lease = this.#results.lease(contest.identity);
    if (candidate === undefined || this.#options.signal.aborted) return;
    if (lease === undefined || lease.phase === 'GONE' || !holds(lease, asked)) {
      this.#decide(contest);
    } else if (there) {
      contest.candidate = undefined;
      this.#results.stood(
        lease,
        candidate,
        !isSameNode(lease, candidate) && this.#mayTell(contest, candidate),
      );
    } else {
      const moves = candidate.type !== 'SHUTDOWN' && candidate.address !== asked.address;
      if (moves) this.#options.passed?.(lease, candidate);
      this.#win(contest, candidate, lease);
    }
  }

  #win(contest: Contest, candidate: Announcement, lease: Lease | undefined): void {
    contest.candidate = undefined;
    if (candidate.type === 'SHUTDOWN') return;
    const replaced = lease?.phase === 'GONE' ? undefined : lease?.replaced;
    const returns = replaced !== undefined && isSameBoot(replaced, candidate);
    this.#results.won(candidate, returns && this.#mayTell(contest, candidate));
  }

  #mayTell({ newcomers }: Contest, candidate: Announcement): boolean {
    const { clock, tellEveryMs } = this.#options;
    return newcomers.mayTell(candidate, clock.monotonic(), tellEveryMs);
  }

  #contestOf(identity: Identity): Contest {
    let contest = this.#contests.get(identity);
    if (contest === undefined) {
      const newcomers = new Newcomers();
      contest = { identity, candidate: undefined, state: 'IDLE', notBefore: 0, newcomers };
      this.#contests.set(identity, contest);
    }
    return contest;
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

type Holder = Pick<Lease, 'bootId' | 'certificateSha256' | 'address'>;

/** One node that was found at two targets, or reports from one address and is a target at another. */
function isSameNode(lease: Lease, candidate: Announcement): boolean {
  return candidate.source === 'PROBED' && isSameBoot(candidate, lease);
}

function holds(lease: Lease, candidate: Holder): boolean {
  return isSameBoot(lease, candidate) && lease.address === candidate.address;
}
