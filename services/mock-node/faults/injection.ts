// What faults do to a call: it stands between the RPC as it came in and the agent that answers it. Which faults strike
// is decided elsewhere (faults.ts).

import { status } from '@grpc/grpc-js';
import { type Clock, sleep } from '../../../shared/clock.js';
import { RpcError } from '../../../shared/grpc/errors.js';
import { RefusedError } from '../agent/refusal.js';
import { type Effect, type EffectKind, type FaultedRpc, momentOf } from './fault.js';

/** The node that a call has come to, and the way back to its caller. */
export interface Victim {
  /** Called once for each call. @returns what befalls it */
  strike(rpc: FaultedRpc): readonly Effect[];
  /** Resets the connection that the call came on. */
  reset(): void;
  /** The node crashes and boots again; what it has answered has `graceMs` to get through. */
  crash(graceMs: number): void;
}

/** A call that may be struck. */
export interface Target<T> {
  readonly rpc: FaultedRpc;
  /** Aborted when the caller gave up, or its connection is gone. */
  readonly signal: AbortSignal;
  readonly victim: Victim;
  /**
   * What the agent does and answers.
   *
   * @param effects those that are the work's own matter: another answer, or none of its effect
   */
  readonly work: (effects: Effects) => T | Promise<T>;
  /** Makes the reply bytes that are no such message. */
  readonly garble: (reply: T) => void;
}

/** Kinds of effect that struck a call. */
export type Effects = ReadonlySet<EffectKind>;

/** Nobody is to get an answer, and the caller is gone. */
export class UnansweredError extends Error {
  override readonly name = 'UnansweredError';
}

/** How long a reply has to get through before the connections of a node that crashes after it are cut: milliseconds. */
const lastReplyMs = 50;

export class Injection {
  readonly #clock: Clock;
  /** Those of the calls that are being struck. */
  readonly #open = new Set<AbortController>();
  #closed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Lets the agent answer, or whatever befalls the call instead.
   *
   * @throws UnansweredError where there is no answer, once the caller is gone; RpcError, RefusedError; what the work
   *   throws
   */
  async around<T>(target: Target<T>): Promise<T> {
    const effects = target.victim.strike(target.rpc);
    if (effects.length === 0) return await target.work(noEffects);
    const gone = new AbortController();
    const onAbort = () => gone.abort(target.signal.reason);
    if (target.signal.aborted) onAbort();
    if (this.#closed) gone.abort(processEnds);
    target.signal.addEventListener('abort', onAbort, { once: true });
    this.#open.add(gone);
    try {
      return await this.#befall(target, effects, gone.signal);
    } finally {
      this.#open.delete(gone);
      target.signal.removeEventListener('abort', onAbort);
    }
  }

  /** The process ends: no call hangs any more. */
  close(): void {
    this.#closed = true;
    for (const gone of this.#open) gone.abort(processEnds);
  }

  async #befall<T>(target: Target<T>, effects: readonly Effect[], gone: AbortSignal): Promise<T> {
    const { rpc, victim, work } = target;
    for (const effect of effects) {
      if (effect.kind === 'delay') await sleep(this.#clock, effect.delayMs, gone);
    }
    const ending = effects.find((effect) => momentOf(effect, rpc) !== 'DURING');
    switch (ending?.kind) {
      case 'error':
        throw new RpcError(status[ending.code], 'this call was to fail: a fault of the mock node');
      case 'wrong-identity':
        throw new RefusedError({ reason: 'IDENTITY_MISMATCH' });
      case 'drop-request':
        victim.reset();
        return await unanswered(gone);
      case 'hang':
        return await unanswered(gone);
      case 'crash-before':
        victim.crash(0);
        return await unanswered(gone);
    }
    const kinds = new Set(effects.map(({ kind }) => kind));
    // Whoever sends a request twice looks at one answer.
    if (kinds.has('duplicate')) await settled(work, kinds);
    const answer = await settled(work, kinds);
    switch (ending?.kind) {
      case 'drop-reply':
        victim.reset();
        return await unanswered(gone);
      case 'hang-after':
        return await unanswered(gone);
      case 'crash-after':
        victim.crash(0);
        return await unanswered(gone);
      case 'reboot':
        victim.crash(lastReplyMs);
        break;
      case 'garbage':
        if (answer.ok) target.garble(answer.reply);
    }
    if (!answer.ok) throw answer.error;
    return answer.reply;
  }
}

const processEnds = new UnansweredError('the process ends');

const noEffects: Effects = new Set();

type Settled<T> = { readonly ok: true; readonly reply: T } | { readonly ok: false; readonly error: unknown };

async function settled<T>(work: Target<T>['work'], effects: Effects): Promise<Settled<T>> {
  try {
    return { ok: true, reply: await work(effects) };
  } catch (error) {
    return { ok: false, error };
  }
}

/** A call that is answered while anybody waits for it would not be unanswered. */
async function unanswered(gone: AbortSignal): Promise<never> {
  if (!gone.aborted) {
    await new Promise<void>((resolve) => gone.addEventListener('abort', () => resolve(), { once: true }));
  }
  throw new UnansweredError('nothing is answered, as was ordered');
}
