// The status that each refusal of an agent becomes on the wire (design, section 3).

import { status } from '@grpc/grpc-js';
import { RpcError } from '../../../shared/grpc/errors.js';
import { DownError, NotServedError, type Refusal, RefusedError } from '../agent/refusal.js';

/** @returns what the caller is told; an error that nobody planned is given back as it is */
export function toRpcError(error: unknown): unknown {
  if (error instanceof RefusedError) return refused(error.refusal);
  if (error instanceof DownError) return nodeIsDown();
  if (error instanceof NotServedError) return new RpcError(status.UNIMPLEMENTED, error.message);
  return error;
}

/** Nobody answers at the address now. */
export function nodeIsDown(): RpcError {
  return new RpcError(status.UNAVAILABLE, 'the node is down');
}

function refused(refusal: Refusal): RpcError {
  const { reason } = refusal;
  switch (reason) {
    case 'IDENTITY_MISMATCH':
      return new RpcError(status.FAILED_PRECONDITION, 'another node is meant', { reason });
    case 'REBOOTED':
      return new RpcError(status.FAILED_PRECONDITION, 'another boot of this node is meant', { reason });
    case 'PROOF_INVALID':
      return new RpcError(
        status.UNAUTHENTICATED,
        'the proof does not match: it is made with another provisioning secret than this node holds, or for another ' +
          'connection',
        { reason },
      );
    case 'NOT_PROVISIONING':
      return new RpcError(status.FAILED_PRECONDITION, 'the node is not in provisioning mode', { reason });
    case 'PROVISIONING':
      return new RpcError(status.FAILED_PRECONDITION, 'the node is in provisioning mode', { reason });
    case 'STOPPING':
      return new RpcError(status.FAILED_PRECONDITION, 'the node is about to stop or restart', { reason });
    case 'LOCKED':
      return new RpcError(status.ABORTED, `site ${JSON.stringify(refusal.site)} holds the node`, {
        reason,
        retryAfterMs: refusal.retryAfterMs,
      });
    case 'STALE_FENCE':
      return new RpcError(status.ABORTED, 'a later run holds the node', {
        reason,
        metadata: {
          fence: refusal.fence.toString(),
          idle_seconds: String(Math.floor(refusal.idleMs / 1000)),
        },
      });
    case 'ARGUMENT_INVALID':
      return new RpcError(status.INVALID_ARGUMENT, describe(refusal.violations), {
        reason,
        violations: refusal.violations,
      });
    case 'KEY_CHANGED':
      return new RpcError(status.FAILED_PRECONDITION, refusal.what, { reason });
    case 'PROVISIONING_ENABLED':
      return new RpcError(
        status.FAILED_PRECONDITION,
        'the node would start in provisioning mode: what is written does not disable it',
        { reason },
      );
  }
}

function describe(violations: readonly { readonly field: string; readonly description: string }[]): string {
  return violations.map(({ field, description }) => `${field}: ${description}`).join('; ');
}
