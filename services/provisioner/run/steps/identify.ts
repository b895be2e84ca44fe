// Step 1: who answers at the node's address, and in what state. What it says is the truth, whatever the
// sighting said (design, sections 5 and 6).

import type { NodeDescription } from '../node.js';
import type { Outcome } from '../outcome.js';
import { callNode } from '../rpc.js';
import type { Fetched } from '../run.js';
import { failStep, type RunContext, type StepResult } from '../run-context.js';

export async function identify(run: RunContext, tries: number): Promise<StepResult> {
  const startedAt = run.clock.monotonic();
  const result = await callNode(run, {
    step: 'IDENTIFY',
    tries,
    timeoutMs: run.settings.identifyTimeoutMs,
    fenced: false,
    attempt: (limits) => run.agent.identify(limits),
  });
  if (result.kind !== 'REPLY') return result;
  const refusal = check(run, result.value);
  if (refusal !== undefined) return failStep(run, 'IDENTIFY', refusal, run.clock.monotonic() - startedAt);
  run.node = result.value;
  run.session.meet(result.value);
  if (!isOfBoot(run.fetched, run)) run.fetched = undefined;
  return { kind: 'COMPLETED', tries: result.tries };
}

/** Whether what was fetched is of the boot that answers: the same id, on the same certificate. */
function isOfBoot(fetched: Fetched | undefined, { node, task }: RunContext): boolean {
  return fetched?.bootId === node?.bootId && fetched?.certificateSha256 === task.node.certificateSha256;
}

function check(run: RunContext, node: NodeDescription): Extract<Outcome, { kind: 'FAILED' }> | undefined {
  const { identity } = run.task.node;
  if (node.identity !== identity) {
    const message = `${run.task.node.address} answers as ${node.identity}, not as ${identity}`;
    return { kind: 'FAILED', reason: 'IDENTITY_MISMATCH', message };
  }
  if (!node.provisioning) {
    const message = 'the node is not in provisioning mode';
    return { kind: 'FAILED', reason: 'NOT_PROVISIONING', message };
  }
  const missing = features.filter((feature) => run.settings.features[feature] && !node.features[feature]);
  if (missing.length > 0) {
    const settings = missing.map((feature) => `features.${feature}`).join(' and ');
    const message = `the node lacks ${missing.join(' and ')}, which ${settings} of the provisioner asks for`;
    return { kind: 'FAILED', reason: 'FEATURE_MISSING', message };
  }
  return undefined;
}

const features = ['jwt', 'ed25519', 'pki'] as const;
