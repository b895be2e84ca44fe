// GetJwt: the node's provisioning token, which has to be one of the site and to hold the secret that the run has
// shown itself with (design, section 8); and the public key to encrypt to.

import type { Secret } from '../../../../shared/secret.js';
import type { ProvisioningClaims } from '../../../../shared/trust/provisioning-token.js';
import { TrustError } from '../../../../shared/trust/trust-error.js';
import type { FailureReason } from '../outcome.js';
import { asCaller, callNode } from '../rpc.js';
import { failStep, keep, known, type RunContext, type StepResult } from '../run-context.js';

export async function getJwt(run: RunContext, tries: number): Promise<StepResult> {
  const held = run.fetched?.token;
  if (held !== undefined && !hasExpired(held.claims, seconds(run))) {
    run.token = held;
    return { kind: 'SKIPPED' };
  }
  const startedAt = run.clock.monotonic();
  const result = await callNode(run, {
    step: 'GET_JWT',
    tries,
    timeoutMs: run.settings.rpcTimeoutMs,
    fenced: true,
    attempt: asCaller(run, (caller, limits) => run.agent.getJwt(caller, limits)),
  });
  if (result.kind !== 'REPLY') return result;
  const refuse = (reason: FailureReason, message: string) =>
    failStep(run, 'GET_JWT', { kind: 'FAILED', reason, message }, run.clock.monotonic() - startedAt);

  const { jwt, ecdhPublic } = result.value;
  const claims = await verified(run, jwt);
  if (claims instanceof TrustError) return refuse('TOKEN_INVALID', claims.message);
  if (!isSame(claims.secret, run.session.secret)) {
    return refuse('SECRET_MISMATCH', mismatchOf(claims.secret, run.session.secret));
  }
  run.token = { claims, ecdhPublic };
  keep(run, { token: run.token });
  return { kind: 'COMPLETED', tries: result.tries };
}

async function verified(run: RunContext, jwt: Secret): Promise<ProvisioningClaims | TrustError> {
  try {
    return await known(run.enrolment.tokens, 'what verifies tokens').verify(jwt.reveal(), seconds(run));
  } catch (error) {
    if (error instanceof TrustError) return error;
    throw error;
  }
}

function hasExpired({ expiresAt }: ProvisioningClaims, now: number): boolean {
  return expiresAt !== undefined && now >= expiresAt;
}

/** Wall clock, Unix seconds. */
function seconds({ clock }: RunContext): number {
  return clock.now() / 1000;
}

function isSame(one: Secret | undefined, other: Secret | undefined): boolean {
  return one === undefined || other === undefined ? one === other : one.equals(other);
}

function mismatchOf(inToken: Secret | undefined, used: Secret | undefined): string {
  if (inToken === undefined) return 'the provisioning token of the node holds no secret';
  if (used === undefined) {
    return 'the provisioning token of the node holds a secret, but the provisioner has none: set token or token_file';
  }
  return 'the provisioning token of the node holds another secret than the one that the node has accepted';
}
