// GenerateEd25519Key: the node makes its key and shows, with a signature over a challenge that is good for nothing
// else, that it holds it (design, section 3).

import { verifyChallenge } from '../../../../shared/trust/challenge.js';
import { asCaller, callNode } from '../rpc.js';
import { failStep, keep, type RunContext, type StepResult } from '../run-context.js';

export async function generateKey(run: RunContext, tries: number): Promise<StepResult> {
  const held = run.fetched?.key;
  if (held !== undefined) {
    run.key = held;
    return { kind: 'SKIPPED' };
  }
  const startedAt = run.clock.monotonic();
  const result = await callNode(run, {
    step: 'GENERATE_KEY',
    tries,
    timeoutMs: run.settings.rpcTimeoutMs,
    fenced: true,
    attempt: asCaller(run, async (caller, limits) => {
      // Of this attempt alone: an answer to an earlier one is no answer to it.
      const nonce = run.newNonce();
      return { nonce, key: await run.agent.generateKey(caller, nonce, limits) };
    }),
  });
  if (result.kind !== 'REPLY') return result;
  const { nonce, key } = result.value;
  const { identity } = run.task.node;
  if (!verifyChallenge({ identity, runId: run.session.runId, nonce }, key.publicKey, key.signature)) {
    const message = 'the signature of the node does not show that it holds the key that it gave';
    const outcome = { kind: 'FAILED', reason: 'KEY_PROOF_INVALID', message } as const;
    return failStep(run, 'GENERATE_KEY', outcome, run.clock.monotonic() - startedAt);
  }
  run.key = key;
  keep(run, { key });
  return { kind: 'COMPLETED', tries: result.tries };
}
