// The turns in which calls change a node: one at a time, each checked again when its turn has come and once more at
// the moment of its commit. What a call does in its turn is agent.ts's matter.

import type { RunId } from '../../../shared/identity.js';
import type { Logger } from '../../../shared/logger.js';
import { Slots } from '../slots.js';
import { type NodeState, reached } from '../state/node-state.js';
import type { NodeStore } from '../state/node-store.js';
import type { Admission, AdmissionOptions } from './admission.js';
import type { Arguments, Call } from './call.js';
import { checkRequest, type Readiness } from './checks.js';
import { RefusedError } from './refusal.js';

/** Called at the last moment before a commit; throws where it must not happen. */
export type Gate = () => void;

export interface TurnsOptions extends Pick<AdmissionOptions, 'clock' | 'provisioning'> {
  readonly admission: Admission;
  readonly store: NodeStore;
  /** What arguments are checked against when a turn has come. */
  readonly readiness: () => Readiness;
  readonly log: Logger;
}

export class Turns {
  readonly #options: TurnsOptions;
  readonly #turn = new Slots(1);

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  /**
   * A call that changes something: refused at once where it can be, then in its turn, checked again because
   * what was true may have changed while it waited, and once more at the moment of its commit.
   *
   * @throws RefusedError, DownError; the signal's reason where the caller gave up before the commit
   */
  async take<T>(request: Arguments, call: Call, act: (runId: RunId, gate: Gate) => Promise<T>): Promise<T> {
    const { admission, readiness } = this.#options;
    admission.admit(request.rpc, call.caller);
    return await this.#turn.use(async () => {
      const runId = admission.admit(request.rpc, call.caller);
      const refusal = checkRequest(request, readiness());
      if (refusal !== undefined) {
        await this.#recordFailure(runId);
        throw new RefusedError(refusal);
      }
      // What the gate throws is no failure of the work: the caller has given up, or the node is in other hands.
      let failed = true;
      try {
        return await act(runId, () => {
          failed = false;
          call.signal.throwIfAborted();
          admission.admit(request.rpc, call.caller);
          failed = true;
        });
      } catch (error) {
        const gaveUp = call.signal.aborted && error === call.signal.reason;
        if (failed && !gaveUp) await this.#recordFailure(runId);
        throw error;
      }
    }, call.signal);
  }

  /** Writes a transition, and who holds the node with it. */
  save(change: (state: NodeState) => NodeState, gate?: Gate): Promise<void> {
    const { store, admission } = this.#options;
    return store.save((state) => admission.holding.writtenInto(change(state)), gate);
  }

  /**
   * Writes who holds the node, where the disk does not know it yet; a configured node need not remember. What the
   * store says when this resolves is on the disk.
   */
  async keepHold(): Promise<void> {
    const { provisioning, store, admission } = this.#options;
    await store.save((state) => (provisioning ? admission.holding.keptIn(state) : state));
  }

  /** Does this when nobody has a turn any more. */
  async end(last: () => Promise<void>): Promise<void> {
    await this.#turn.use(last);
  }

  /**
   * The run's last mutating call failed here. Where not even that can be written, the record stays as it was; and so it
   * does where the run has a stop pending, of which that call was a repeat that is none.
   */
  async #recordFailure(runId: RunId): Promise<void> {
    const { admission, clock, log } = this.#options;
    if (admission.pending !== undefined) return;
    try {
      await this.save((state) => reached(state, runId, 'FAILED', clock.now()));
    } catch (error) {
      log.warn({ err: error, run_id: runId }, 'the failure of a call could not be recorded');
    }
  }
}
