// The upgrade of a node that is under way: accepted within a turn, done without one, so that a repeat can join it.
// Nobody else is let in meanwhile: it is pending from its acceptance on, as a stop is.

import { type Clock, sleep } from '../../../shared/clock.js';
import type { RunId } from '../../../shared/identity.js';
import type { Logger } from '../../../shared/logger.js';
import type { NodeState } from '../state/node-state.js';
import type { NodeStore } from '../state/node-store.js';
import { upgraded, upgradeFailed, upgrading } from '../state/upgrade.js';
import type { Admission } from './admission.js';
import type { PendingStop } from './call.js';
import { DownError, RefusedError } from './refusal.js';
import type { Release } from './release.js';
import type { Gate } from './turns.js';

export interface UpgradesOptions {
  readonly admission: Admission;
  /** Writes a transition of the node's state. */
  readonly save: (change: (state: NodeState) => NodeState, gate?: Gate) => Promise<void>;
  readonly store: NodeStore;
  /** How long replacing a release takes: milliseconds. */
  readonly upgradeTimeMs: number;
  /** How long after it the agent goes down, so that the reply is out: milliseconds. */
  readonly farewellMs: number;
  readonly clock: Clock;
  readonly log: Logger;
  readonly onUpgradeAccepted: () => void;
  readonly onUpgradeFailed: () => void;
  readonly onStopAccepted: (stop: PendingStop) => void;
}

interface UnderWay {
  readonly release: Release;
  readonly done: Promise<void>;
}

export class Upgrades {
  readonly #options: UpgradesOptions;
  readonly #end = new AbortController();
  /** The one that is under way, or was done last. */
  #underWay: UnderWay | undefined;

  constructor(options: UpgradesOptions) {
    this.#options = options;
  }

  /**
   * Accepts an upgrade, durably, or joins the one that is pending: only a call of its run is let in then.
   *
   * @param gate called before it is accepted; what it throws leaves everything as it was
   * @param withoutEffect all happens, but the release stays
   * @returns settles once the upgrade is done, and rejects where it failed
   * @throws RefusedError where another release is under way; what the gate throws; errors of the file system
   */
  async accept(
    runId: RunId,
    release: Release,
    gate: Gate,
    withoutEffect: boolean,
  ): Promise<{ readonly done: Promise<void> }> {
    const { admission, save, store, clock, upgradeTimeMs, farewellMs, onUpgradeAccepted } = this.#options;
    if (admission.pending !== undefined && this.#underWay !== undefined) {
      // Whoever asks for another release must not be told that it is there.
      if (!isSame(this.#underWay.release, release)) throw new RefusedError({ reason: 'STOPPING' });
      return this.#underWay;
    }
    const waited = store.state.configuration?.staging ?? '';
    await save((state) => upgrading(state, runId, clock.now()), gate);
    admission.pending = {
      rpc: 'UpdateRelease',
      runId,
      at: clock.monotonic() + upgradeTimeMs + farewellMs,
    };
    onUpgradeAccepted();
    this.#underWay = { release, done: this.#replace(runId, release, waited, withoutEffect) };
    // Nobody may be waiting for it any more.
    this.#underWay.done.catch(() => {});
    return this.#underWay;
  }

  /** Cuts off what is under way, unless its end is being written. The next start makes it a failure. */
  async stop(): Promise<void> {
    this.#end.abort(new DownError());
    await this.#underWay?.done.catch(() => {});
  }

  /** @param waited staging folder of the configuration that was withdrawn; empty where there was none */
  async #replace(runId: RunId, { version }: Release, waited: string, withoutEffect: boolean): Promise<void> {
    const { admission, save, store, upgradeTimeMs, clock } = this.#options;
    const before = store.state.release;
    const after = withoutEffect ? before : version;
    try {
      if (waited !== '') await store.discardUnlessCommitted(waited);
      await sleep(clock, upgradeTimeMs, this.#end.signal);
      await save((state) => upgraded(state, runId, after, clock.now()));
    } catch (error) {
      if (admission.closed) throw new DownError();
      await this.#fail(runId, before);
      throw error;
    }
    this.#goDown(runId);
  }

  async #fail(runId: RunId, before: string | undefined): Promise<void> {
    const { admission, save, clock, log, onUpgradeFailed } = this.#options;
    try {
      await save((state) => upgradeFailed(state, runId, before, clock.now()));
      admission.pending = undefined;
      onUpgradeFailed();
    } catch (error) {
      // Which release is on the disk nobody knows: the next start finds out.
      log.warn({ err: error, run_id: runId }, 'what became of an upgrade could not be recorded; restarting');
      this.#goDown(runId);
    }
  }

  #goDown(runId: RunId): void {
    const { admission, clock, farewellMs, onStopAccepted } = this.#options;
    if (admission.closed) return;
    admission.pending = { rpc: 'UpdateRelease', runId, at: clock.monotonic() + farewellMs };
    onStopAccepted(admission.pending);
  }
}

function isSame(one: Release, other: Release): boolean {
  return one.repository === other.repository && one.version === other.version;
}
