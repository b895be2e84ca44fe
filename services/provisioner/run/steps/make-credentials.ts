// Credentials: what is minted and encrypted for a node, once in each pass, so that all attempts of Configure send the
// same. While nothing can sign, the run waits: that is no fault of its node (design, sections 6 and 8).

import type { Secret } from '../../../../shared/secret.js';
import { encryptKey, newX25519Pair, sharedSecret } from '../../../../shared/trust/key-transfer.js';
import type { ServerTokenIssuer } from '../../../../shared/trust/server-token.js';
import type { EncryptedKey } from '../configuration.js';
import { decideCredentials } from '../decision.js';
import type { FailureReason } from '../outcome.js';
import { failStep, known, type RunContext, type StepResult } from '../run-context.js';
import { unlessOver, wait } from '../wait.js';

const askAgainMs = 1_000;

export async function makeCredentials(run: RunContext): Promise<StepResult> {
  const { clock, control, settings } = run;
  const issuer = settings.features.ed25519 ? await usableIssuer(run) : undefined;
  if (control.end !== undefined) return { kind: 'ENDED', outcome: control.end };
  const startedAt = clock.monotonic();
  const fail = (reason: FailureReason, message: string) =>
    failStep(run, 'CREDENTIALS', { kind: 'FAILED', reason, message }, clock.monotonic() - startedAt);

  // Only now: what the helper wants may be meant from now on.
  const now = Math.floor(clock.now() / 1000);
  const decided = decideCredentials(known(run.reply, 'the helper’s reply'), {
    identity: run.task.node.identity,
    features: settings.features,
    publicKey: run.key && Buffer.from(run.key.publicKey).toString('hex'),
    encryptKey: run.token && encryptFor(run.token.ecdhPublic),
    now,
    serverJwtValidityMs: run.enrolment.serverJwtValidityMs,
  });
  if ('kind' in decided) return fail(decided.reason, decided.message);
  let serverJwt = '';
  if (decided.server !== undefined) {
    try {
      serverJwt = await known(issuer, 'what signs').mint(decided.server.claims, now);
    } catch (error) {
      return fail('SIGNING_FAILED', error instanceof Error ? error.message : String(error));
    }
  }
  run.credentials = { serverJwt, key: decided.key };
  return { kind: 'COMPLETED', tries: 1 };
}

/** @returns what encrypts a key so that only the node can read it; it throws TrustError */
export function encryptFor(nodeEcdhPublic: Uint8Array): (key: Secret) => EncryptedKey {
  return (key) => {
    const ours = newX25519Pair();
    const pem = encryptKey(key, sharedSecret(ours.privateKey, nodeEcdhPublic));
    return { pem, nodeEcdhPublic, provisionerEcdhPublic: ours.publicKey };
  };
}

/** Waits until something can sign. @returns undefined where the run has to end */
async function usableIssuer(run: RunContext): Promise<ServerTokenIssuer | undefined> {
  const { control, log, task, session, progress } = run;
  const signing = known(run.enrolment.signing, 'what signs');
  let said = '';
  control.pauseTimeout();
  try {
    for (;;) {
      // A disk that does not answer must not hold a run that has to end.
      const state = await unlessOver(run, signing.current());
      if (state === undefined) return undefined;
      if (state.kind === 'USABLE') return state.issuer;
      progress.waitForCredentials(`${state.setting} ${state.why}`);
      if (state.why !== said) {
        const fields = { identity: task.node.identity, run_id: session.runId, step: 'CREDENTIALS' } as const;
        log.info(fields, `waits for signing credentials: ${state.setting} ${state.why}`);
        said = state.why;
      }
      await wait(run, askAgainMs);
    }
  } finally {
    progress.waitedEnough();
    control.resumeTimeout();
  }
}
