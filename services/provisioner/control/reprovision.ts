// Asks a configured node back into provisioning mode (design, section 10, ReprovisionHost), in which it will be sighted
// like any other. How the node is met is meeting.ts's matter.

import { backoffMs } from '../../../shared/backoff.js';
import { sleep } from '../../../shared/clock.js';
import { type Identity, newRunId, type RunId } from '../../../shared/identity.js';
import type { Random } from '../../../shared/random.js';
import type { Secret } from '../../../shared/secret.js';
import type { Fences } from '../run/fences.js';
import { type CallFailure, NodeCallError, type RestartNotice } from '../run/node.js';
import { Session } from '../run/session.js';
import { judge, mayHaveHadEffect } from '../run/verdict.js';
import { ControlError } from './control-error.js';
import { atNode, type MeetingOptions, type Met, type Place } from './meeting.js';
import { refusalOf } from './node-refusal.js';
import { type LostReply, settleLost } from './settle-reprovision.js';

export interface ReprovisionOptions extends MeetingOptions {
  readonly tokens: () => readonly Secret[];
  readonly fences: Fences;
  readonly random: Random;
  /** For one attempt of each call. */
  readonly rpcTimeoutMs: number;
}

/** A node that goes back into provisioning mode. */
export interface Reprovisioned {
  readonly runId: RunId;
  /** A sentence for people. */
  readonly message: string;
  /** Milliseconds; undefined where the node’s word is missing. */
  readonly restartingInMs: number | undefined;
}

const tries = 3;
const pauses = { initialMs: 500, maxMs: 5_000 };

/** The node booted before it was asked: it has to be met again. */
const bootedMeanwhile = Symbol('bootedMeanwhile');

/**
 * Asks the node, and resolves when it has accepted.
 *
 * @throws ControlError where it has not, or nobody knows; the signal's reason
 */
export async function reprovision(
  options: ReprovisionOptions,
  identity: Identity,
  place: Place,
  signal: AbortSignal,
): Promise<Reprovisioned> {
  const { fences, tokens } = options;
  const session = new Session(newRunId(), fences.next(), tokens());
  const meet = () =>
    atNode(options, identity, place, signal, async (met) => {
      if (met.found.provisioning) {
        const message = `${identity} is in provisioning mode already`;
        throw new ControlError('NOT_NOW', 'PROVISIONING', message);
      }
      session.meet(met.found);
      return await ask(options, session, met, signal);
    });
  let answer = await meet();
  if (answer === bootedMeanwhile) answer = await meet();
  if (answer === bootedMeanwhile) {
    throw new ControlError('UNREACHABLE', 'UNREACHABLE', `${identity} boots again and again`);
  }
  return { runId: session.runId, ...answer };
}

type Accepted = Omit<Reprovisioned, 'runId'>;

async function ask(
  options: ReprovisionOptions,
  session: Session,
  met: Met,
  signal: AbortSignal,
): Promise<Accepted | typeof bootedMeanwhile> {
  const { clock, random, rpcTimeoutMs } = options;
  const limits = { timeoutMs: rpcTimeoutMs, signal };
  for (let attempt = 1; ; attempt += 1) {
    const answer = await once(() => met.agent.reprovision(session.caller(), limits));
    if (!('kind' in answer)) return answer;
    const verdict = judge(answer, {
      step: 'RESTART',
      hasNextToken: session.hasNextToken,
      atFirstFencedCall: session.atFirstFencedCall,
      force: false,
      now: clock.now(),
      lockedForMs: 0,
    });
    if (mayHaveHadEffect(answer)) {
      const lost: LostReply = { options, session, met, failure: answer, tries };
      const settled = await settleLost(lost, signal);
      if (settled.kind === 'ACCEPTED') return { message: settled.message, restartingInMs: undefined };
      if (settled.kind === 'BOOTED') return bootedMeanwhile;
    }
    switch (verdict.kind) {
      case 'NEXT_TOKEN':
        session.useNextToken();
        continue;
      case 'OVERTAKE':
        session.overtake(verdict.fence);
        continue;
      case 'REBOOTED':
        return bootedMeanwhile;
      case 'RETRY':
        if (attempt >= tries) throw refusalOf(met.found.identity, answer);
        await sleep(clock, Math.max(verdict.waitMs, backoffMs(attempt, pauses, random)), signal);
        continue;
      case 'START_OVER':
      case 'END':
        throw refusalOf(met.found.identity, answer, verdict.outcome);
    }
  }
}

async function once(call: () => Promise<RestartNotice>): Promise<RestartNotice | CallFailure> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof NodeCallError) return error.failure;
    throw error;
  }
}
