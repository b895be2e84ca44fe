// Shutdown: the helper does not want the node. A node that refuses is warned about and left alone.

import { reasonGiven } from '../decision.js';
import type { Outcome } from '../outcome.js';
import { asCaller, callNode } from '../rpc.js';
import { known, type RunContext, type StepResult } from '../run-context.js';
import { settleShutdown } from '../settle.js';
import { describe } from '../verdict.js';

export async function shutDown(run: RunContext, tries: number): Promise<StepResult> {
  const message = reasonGiven(known(run.reply, 'the helper’s reply'));
  if (message === '') warn(run, 'the helper wants the node shut down and gives no reason');
  const outcome: Outcome = { kind: 'SHUT_DOWN', message };
  const result = await callNode(run, {
    step: 'SHUTDOWN',
    tries,
    timeoutMs: run.settings.rpcTimeoutMs,
    fenced: true,
    attempt: asCaller(run, (caller, limits) => run.agent.shutdown(caller, limits)),
    settling: { done: undefined, decide: settleShutdown, unsettled: () => outcome },
  });
  if (result.kind === 'REPLY') return { kind: 'COMPLETED', tries: result.tries, outcome };
  if (result.kind === 'ENDED' && result.failure !== undefined && result.failure.kind !== 'NOT_SENT') {
    if (result.outcome.kind !== 'FAILED') return result;
    warn(run, `the node refused to shut down: ${describe(result.failure)}`);
    return { kind: 'ENDED', outcome };
  }
  return result;
}

function warn(run: RunContext, message: string): void {
  const fields = { identity: run.task.node.identity, run_id: run.session.runId, step: 'SHUTDOWN' } as const;
  run.log.warn(fields, message);
}
