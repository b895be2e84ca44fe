// What became of a Reprovision whose reply was lost: the node is asked (design, section 6, "Lost replies").

import { backoffMs } from '../../../shared/backoff.js';
import { sleep } from '../../../shared/clock.js';
import type { Random } from '../../../shared/random.js';
import { type CallFailure, type CallLimits, type NodeAgent, NodeCallError } from '../run/node.js';
import type { Session } from '../run/session.js';
import { getRunStatus } from '../run/status.js';
import { describe, isTransient, showsAnotherCertificate } from '../run/verdict.js';
import { ControlError } from './control-error.js';
import type { MeetingOptions, Met } from './meeting.js';

export interface LostReply {
  readonly options: MeetingOptions & { readonly rpcTimeoutMs: number; readonly random: Random };
  readonly session: Session;
  readonly met: Met;
  /** How the call failed. */
  readonly failure: CallFailure;
  /** How often the node is asked. */
  readonly tries: number;
}

export type Settled =
  | { readonly kind: 'ACCEPTED'; readonly message: string }
  /** Another try is safe. */
  | { readonly kind: 'NOT_DONE' }
  /** The node has booted and came up configured, as if it had not been asked. */
  | { readonly kind: 'BOOTED' };

const pauses = { initialMs: 500, maxMs: 5_000 };

/** @throws ControlError where nobody knows; the signal's reason */
export async function settleLost(lost: LostReply, signal: AbortSignal): Promise<Settled> {
  const { options, session, met, tries } = lost;
  const { clock, random, rpcTimeoutMs } = options;
  for (let attempt = 1; ; attempt += 1) {
    await sleep(clock, backoffMs(attempt, pauses, random), signal);
    const limits = { timeoutMs: rpcTimeoutMs, signal };
    try {
      const { stage } = await getRunStatus(met.agent, session, met.found, limits);
      if (stage !== 'RESTARTING') return { kind: 'NOT_DONE' };
      return { kind: 'ACCEPTED', message: 'the reply was lost, and the node says that it restarts' };
    } catch (error) {
      if (!(error instanceof NodeCallError)) throw error;
      const { failure } = error;
      if (hasBooted(failure)) return await lookAgain(lost, failure, signal);
      if (isTransient(failure) && attempt < tries) continue;
      throw unknown(lost, failure);
    }
  }
}

function hasBooted(failure: CallFailure): boolean {
  return showsAnotherCertificate(failure) || (failure.kind === 'STATUS' && failure.reason === 'REBOOTED');
}

/** Another boot answers: in provisioning mode, as it was asked, or not. */
async function lookAgain(lost: LostReply, last: CallFailure, signal: AbortSignal): Promise<Settled> {
  const { options, met } = lost;
  let agent: NodeAgent | undefined;
  try {
    const limits: CallLimits = { timeoutMs: options.identifyTimeoutMs, signal };
    ({ agent } = options.firstContact(met.address));
    const found = await agent.identify(limits);
    if (found.identity !== met.found.identity) throw unknown(lost, last);
    if (!found.provisioning) return { kind: 'BOOTED' };
    return {
      kind: 'ACCEPTED',
      message: 'the reply was lost, and the node has restarted into provisioning mode',
    };
  } catch (error) {
    if (!(error instanceof NodeCallError)) throw error;
    return { kind: 'ACCEPTED', message: 'the reply was lost, and the node is restarting' };
  } finally {
    agent?.close();
  }
}

function unknown({ met, failure }: LostReply, last: CallFailure): ControlError {
  const message =
    `nobody knows whether ${met.found.identity} restarts into provisioning mode: ${describe(failure)}; then ` +
    `GetRunStatus: ${describe(last)}`;
  return new ControlError('UNREACHABLE', 'UNSETTLED', message);
}
