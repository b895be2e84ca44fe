// Restart: the node leaves provisioning mode with what it was sent. A configured node that answers is never
// left without it.

import { asCaller, callNode } from '../rpc.js';
import { known, type RunContext, type StepResult } from '../run-context.js';
import { settleRestart } from '../settle.js';

export async function restart(run: RunContext, tries: number): Promise<StepResult> {
  const configurationDigest = known(run.configurationDigest, 'the configuration');
  const { restartSplayMs, rpcTimeoutMs } = run.settings;
  const result = await callNode(run, {
    step: 'RESTART',
    tries,
    timeoutMs: rpcTimeoutMs,
    fenced: true,
    attempt: asCaller(run, (caller, limits) => run.agent.restart(caller, restartSplayMs, limits)),
    settling: {
      done: undefined,
      decide: (answer, sent) => settleRestart(answer, { configurationDigest, sent }),
      unsettled: () => ({ kind: 'PROVISIONED', unsettled: true }),
    },
  });
  if (result.kind !== 'REPLY') return result;
  return { kind: 'COMPLETED', tries: result.tries, outcome: { kind: 'PROVISIONED', unsettled: false } };
}
