// GenerateCsr: the node asks for a certificate, in its own name and no other. Made anew in every run: what an earlier
// one has may have been signed already.

import { checkCsr } from '../../enrolment/csr.js';
import { CsrError } from '../../enrolment/request/csr-error.js';
import { asCaller, callNode } from '../rpc.js';
import { failStep, type RunContext, type StepResult } from '../run-context.js';

export async function generateCsr(run: RunContext, tries: number): Promise<StepResult> {
  const startedAt = run.clock.monotonic();
  const { identity } = run.task.node;
  const result = await callNode(run, {
    step: 'GENERATE_CSR',
    tries,
    timeoutMs: run.settings.rpcTimeoutMs,
    fenced: true,
    attempt: asCaller(run, (caller, limits) => run.agent.generateCsr(caller, identity, limits)),
  });
  if (result.kind !== 'REPLY') return result;
  try {
    // What the node says of its key beside the request is not taken.
    const { publicKeyPem } = checkCsr(result.value.csrPem, identity, run.enrolment.denyList);
    run.csr = { ...result.value, publicKeyPem };
  } catch (error) {
    if (!(error instanceof CsrError)) throw error;
    const { reason, message } = error;
    const outcome = { kind: 'FAILED', reason, message } as const;
    return failStep(run, 'GENERATE_CSR', outcome, run.clock.monotonic() - startedAt);
  }
  return { kind: 'COMPLETED', tries: result.tries };
}
