// Which runs still wait to hear that their node came up, apart from hosts, holds and workers (design,
// section 6, "Confirmation").

import type { Clock, Timer } from '../../../shared/clock.js';
import type { Identity, RunId } from '../../../shared/identity.js';
import type { EventSink } from '../events/event.js';
import type { SightedNode } from '../fleet/node-event.js';
import type { CutOff } from './cut-off.js';
import { Remembered } from './remembered.js';

/** What is needed to recognise, or to ask a node for, the confirmation of a run. */
export interface PendingConfirmation {
  readonly node: SightedNode;
  readonly runId: RunId;
  /** Hex SHA-256 of what the node was sent. */
  readonly configurationDigest: string;
}

/** A node that says it came up configured. */
export interface CameUp {
  readonly identity: Identity;
  readonly runId: RunId;
  /** Hex; empty where the node named none. */
  readonly configurationDigest: string;
}

/** What the end of a run means for its node. */
export interface EndOfRun {
  readonly provisioned: boolean;
  /** Set where the run configured its node and did not see it restart. */
  readonly cutOff?: CutOff | undefined;
  readonly fence: bigint;
}

/** Asks a node, which does not report, until it confirms or the signal is aborted. Never rejects. */
export type AskNode = (pending: PendingConfirmation, fence: bigint, signal: AbortSignal) => Promise<boolean>;

/** What is known of a run of an earlier life of this process. */
export type PastRun =
  | { readonly confirmed: true }
  | {
      readonly confirmed: false;
      /** Unix milliseconds. */
      readonly endedAt: number;
      /** Hex; empty where the run did not come to Configure. */
      readonly configurationDigest: string;
    };

export interface ConfirmationsOptions {
  readonly clock: Clock;
  readonly events: EventSink;
  readonly askNode: AskNode;
  /** How long after the end of its run a confirmation may take, milliseconds; see {@link confirmTimeoutMs}. */
  readonly timeoutMs: () => number;
  /** Runs that this process did not make. */
  readonly pastRuns?: { find(identity: Identity, runId: RunId): PastRun | undefined };
}

/** The time that nodes have to come up where nothing else is set: milliseconds. */
export function confirmTimeoutMs(intervalMs: number): number {
  return Math.max(2 * intervalMs, 60_000);
}

interface Pending extends PendingConfirmation {
  /** When its run ended, monotonic milliseconds; undefined before. */
  endedAt?: number;
  /** When it is given up, monotonic milliseconds; undefined before its run has ended. */
  until?: number;
  /** False where the end of its run shows that it has nothing to come up with. */
  mayComeUp?: boolean;
  timer?: Timer;
  asking?: AbortController;
}

export class Confirmations {
  readonly #options: ConfirmationsOptions;
  readonly #pending = new Map<RunId, Pending>();
  /** Confirmed runs, so that none is confirmed twice. */
  readonly #confirmed: Remembered<RunId, true>;
  /** Runs whose time is over: a node that is only late is still known for what it is. */
  readonly #missed: Remembered<RunId, Pending>;

  constructor(options: ConfirmationsOptions) {
    this.#options = options;
    this.#confirmed = new Remembered(options.clock);
    this.#missed = new Remembered(options.clock);
  }

  /** Confirmations that are waited for, those of runs under way included. Looks at all of them. */
  get pending(): number {
    let awaited = 0;
    for (const { mayComeUp } of this.#pending.values()) if (mayComeUp !== false) awaited += 1;
    return awaited;
  }

  /**
   * Whether the node of a run has still to come up.
   *
   * @returns undefined where not; `until` when it is given up, Unix milliseconds, undefined while the run goes on
   */
  waitsFor(runId: RunId): { readonly until: number | undefined } | undefined {
    const pending = this.#pending.get(runId);
    if (pending === undefined || pending.mayComeUp === false) return undefined;
    const { clock } = this.#options;
    const { until } = pending;
    return { until: until === undefined ? undefined : clock.now() + until - clock.monotonic() };
  }

  /** A run is about to configure its node. */
  expect(pending: PendingConfirmation): void {
    this.#pending.set(pending.runId, { ...pending });
  }

  /** The time of a run starts. That the node of one that failed does not come up will be no news. */
  runEnded(runId: RunId, { provisioned, cutOff, fence }: EndOfRun): void {
    const pending = this.#pending.get(runId);
    if (pending === undefined) return;
    const { clock, timeoutMs, askNode } = this.#options;
    const waitMs = timeoutMs();
    pending.endedAt = clock.monotonic();
    pending.until = pending.endedAt + waitMs;
    pending.timer = clock.setTimer(waitMs, () => this.#miss(pending, provisioned, waitMs));
    // One that was configured and not restarted may restart by itself.
    pending.mayComeUp = provisioned || cutOff !== undefined;
    if (!pending.mayComeUp || pending.node.source !== 'PROBED') return;
    const asking = new AbortController();
    pending.asking = asking;
    void askNode(pending, fence, asking.signal).then((confirmed) => {
      if (confirmed && this.#pending.get(runId) === pending) this.#confirm(pending);
    });
  }

  /**
   * A node reported PROVISIONED. Says what it was not told of only once, however often it is repeated.
   *
   * @param believed whether the node's word will do, where the run is not known here: it was run by an earlier life of
   *   this process, or by another
   */
  cameUp({ identity, runId, configurationDigest }: CameUp, believed = true): void {
    if (this.#confirmed.get(runId) !== undefined) return;
    const expected = this.#pending.get(runId) ?? this.#missed.get(runId);
    if (expected === undefined) {
      if (believed) this.#cameUpAfterAll({ identity, runId, configurationDigest });
      return;
    }
    const fits =
      expected.node.identity === identity &&
      expected.configurationDigest === configurationDigest.toLowerCase();
    if (fits) this.#confirm(expected);
  }

  /** Stops waiting. */
  close(): void {
    for (const pending of this.#pending.values()) forget(pending);
    this.#pending.clear();
  }

  /** A run that this process did not make: by another one, or in an earlier life. */
  #cameUpAfterAll(node: CameUp): void {
    const { clock, pastRuns } = this.#options;
    const past = pastRuns?.find(node.identity, node.runId);
    if (past === undefined) this.#publishConfirmed(node, true);
    else if (past.confirmed) this.#confirmed.set(node.runId, true);
    else if (past.configurationDigest === node.configurationDigest.toLowerCase())
      this.#publishConfirmed(node, false, Math.max(0, clock.now() - past.endedAt));
  }

  #confirm({ node, runId, configurationDigest, endedAt }: Pending): void {
    const afterMs = endedAt === undefined ? 0 : this.#options.clock.monotonic() - endedAt;
    this.#drop(runId);
    this.#missed.delete(runId);
    this.#publishConfirmed({ identity: node.identity, runId, configurationDigest }, false, afterMs);
  }

  #publishConfirmed(node: CameUp, onItsOwnWord: boolean, afterMs?: number): void {
    this.#confirmed.set(node.runId, true);
    this.#options.events.publish({ type: 'NODE_CONFIRMED', ...node, onItsOwnWord, afterMs });
  }

  #miss(pending: Pending, provisioned: boolean, timeoutMs: number): void {
    const { runId, node } = pending;
    this.#drop(runId);
    this.#missed.set(runId, pending);
    // A run that failed has said so; that its node does not come up is no news.
    if (!provisioned) return;
    const { identity } = node;
    this.#options.events.publish({ type: 'CONFIRMATION_MISSED', identity, runId, timeoutMs });
  }

  #drop(runId: RunId): void {
    const pending = this.#pending.get(runId);
    if (pending !== undefined) forget(pending);
    this.#pending.delete(runId);
  }
}

function forget(pending: Pending): void {
  pending.timer?.cancel();
  pending.asking?.abort();
}
