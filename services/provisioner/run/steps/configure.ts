// Configure: everything that the node needs, in one call. With its first attempt the run passes the point of
// no return (design, section 6).

import { configurationFrom } from '../configuration.js';
import { configurationDigestOf } from '../convert.js';
import { configurationRefusal } from '../decision.js';
import { type Caller, type CallLimits, NodeCallError } from '../node.js';
import { asCaller, callNode } from '../rpc.js';
import { failStep, known, type RunContext, type StepResult } from '../run-context.js';
import { settleConfigure } from '../settle.js';
import { describe } from '../verdict.js';

export async function configure(run: RunContext, tries: number): Promise<StepResult> {
  const reply = known(run.reply, 'the helper’s reply');
  const refusal = configurationRefusal(reply);
  if (refusal !== undefined) return failStep(run, 'CONFIGURE', refusal, 0);
  const configuration = configurationFrom({
    reply,
    credentials: run.credentials,
    csrSslDir: run.csr?.sslDir ?? '',
    keyDirectory: run.key?.directory ?? '',
  });
  const digest = configurationDigestOf(configuration);
  run.configurationDigest = digest;
  run.confirmations.expect({ node: run.task.node, runId: run.session.runId, configurationDigest: digest });
  run.control.passPointOfNoReturn();

  const attempt = async (caller: Caller, limits: CallLimits) => {
    const committed = await run.agent.configure(caller, configuration, limits);
    if (committed !== digest) {
      const message = `the node says that it committed another configuration than it was sent (digest ${committed})`;
      throw new NodeCallError({ kind: 'REPLY_INVALID', message });
    }
  };
  const result = await callNode(run, {
    step: 'CONFIGURE',
    tries,
    timeoutMs: run.settings.rpcTimeoutMs,
    fenced: true,
    attempt: asCaller(run, attempt),
    settling: {
      done: undefined,
      decide: (answer) => settleConfigure(answer, digest),
      unsettled: (lost) => {
        run.configured = 'PERHAPS_CONFIGURED';
        return { kind: 'FAILED', reason: 'RPC_FAILED', message: describe(lost) };
      },
    },
  });
  if (result.kind === 'START_OVER') run.control.turnBack();
  if (result.kind !== 'REPLY') return result;
  run.configured = 'CONFIGURED';
  return { kind: 'COMPLETED', tries: result.tries };
}
