// Asks a node what became of a call whose reply was lost. What its answer means is settle.ts's matter.

import type { AgentReason } from '../../../shared/grpc/reasons.js';
import type { StepName } from '../events/event.js';
import { type Attempt, attemptOnce } from './attempt.js';
import {
  type CallFailure,
  type CallLimits,
  type NodeAgent,
  NodeCallError,
  type NodeDescription,
  type RunStatus,
} from './node.js';
import { known, type RunContext } from './run-context.js';
import type { Session } from './session.js';
import type { AfterReboot, StatusAnswer } from './settle.js';
import { showsAnotherCertificate } from './verdict.js';

/** Asks once what became of the run's calls. */
export async function askRunStatus(
  run: RunContext,
  step: StepName,
): Promise<StatusAnswer | { readonly kind: 'CUT' }> {
  const answer = await ask(run, step, known(run.node, 'the node'));
  switch (answer.kind) {
    case 'CUT':
      return answer;
    case 'REPLY':
      return { kind: 'STATUS', status: answer.value };
    case 'FAILED':
      // A channel that is pinned to the boot before does not reach this one.
      if (showsAnotherCertificate(answer.failure)) return { kind: 'REBOOTED', into: { kind: 'UNKNOWN' } };
      return isRefusedWith(answer.failure, 'REBOOTED')
        ? { kind: 'REBOOTED', into: await lookAfterReboot(run, step) }
        : { kind: 'FAILED', failure: answer.failure };
  }
}

/** Finds out in what state another boot of the run's node is. */
export async function lookAfterReboot(run: RunContext, step: StepName): Promise<AfterReboot> {
  const unknown: AfterReboot = { kind: 'UNKNOWN' };
  const options = {
    step,
    rpc: 'Identify',
    timeoutMs: run.settings.identifyTimeoutMs,
    hasEffects: true,
  } as const;
  const identified = await attemptOnce(run, options, (limits) => run.agent.identify(limits));
  if (identified.kind !== 'REPLY') return unknown;
  const node = identified.value;
  if (node.identity !== run.task.node.identity || node.bootId === run.session.bootId) return unknown;
  if (node.provisioning) return { kind: 'PROVISIONING' };
  const answer = await ask(run, step, node);
  if (answer.kind !== 'REPLY' || answer.value.stage !== 'CONFIRMED') return unknown;
  return { kind: 'CONFIRMED', configurationDigest: answer.value.configurationDigest };
}

/**
 * Asks about the session's run, with each secret of the list until one fits.
 *
 * @throws NodeCallError; the signal's reason
 */
export async function getRunStatus(
  agent: NodeAgent,
  session: Session,
  node: NodeDescription,
  limits: CallLimits,
): Promise<RunStatus> {
  for (;;) {
    try {
      return await agent.getRunStatus(session.caller(node), limits);
    } catch (error) {
      if (!isRefusal(error, 'PROOF_INVALID') || !session.hasNextToken) throw error;
      session.useNextToken();
    }
  }
}

function ask(run: RunContext, step: StepName, node: NodeDescription): Promise<Attempt<RunStatus>> {
  // Not cut off by an interruption: the answer decides how the run ends.
  const options = {
    step,
    rpc: 'GetRunStatus',
    timeoutMs: run.settings.rpcTimeoutMs,
    hasEffects: true,
  } as const;
  return attemptOnce(run, options, (limits) => getRunStatus(run.agent, run.session, node, limits));
}

function isRefusal(error: unknown, reason: AgentReason): boolean {
  return error instanceof NodeCallError && isRefusedWith(error.failure, reason);
}

function isRefusedWith(failure: CallFailure, reason: AgentReason): boolean {
  return failure.kind === 'STATUS' && failure.reason === reason;
}
