// What an operator is told of a node that refuses a call, or does not answer it.

import { parseAgentReason } from '../../../shared/grpc/reasons.js';
import type { Identity } from '../../../shared/identity.js';
import type { CallFailure } from '../run/node.js';
import type { Outcome } from '../run/outcome.js';
import { describe } from '../run/verdict.js';
import { ControlError } from './control-error.js';

/** @param outcome what a run would make of it */
export function refusalOf(identity: Identity, failure: CallFailure, outcome?: Outcome): ControlError {
  if (outcome?.kind === 'FAILED' && outcome.reason === 'FENCE_AHEAD') {
    return new ControlError('CONTENDED', 'FENCE_AHEAD', outcome.message);
  }
  switch (failure.kind) {
    case 'NOT_SENT':
      return new ControlError(
        'UNREACHABLE',
        'UNREACHABLE',
        `${identity} does not answer: ${describe(failure)}`,
      );
    case 'REPLY_INVALID':
    case 'REPLY_TOO_LARGE':
      return new ControlError('NOT_NOW', 'REPLY_INVALID', `${identity}: ${describe(failure)}`);
    case 'STATUS':
      break;
  }
  const { code, reason, retryAfterMs } = failure;
  const message = `${identity} refuses: ${describe(failure)}`;
  if (reason === 'LOCKED' || reason === 'STALE_FENCE') {
    return new ControlError('CONTENDED', reason, message, { retryAfterMs });
  }
  // A reason of the agent's own is its word. Its code is not passed on: UNAUTHENTICATED would be taken for the
  // operator's own certificate.
  if (parseAgentReason(reason) !== undefined) return new ControlError('NOT_NOW', reason, message);
  if (code === 'UNAVAILABLE' || code === 'DEADLINE_EXCEEDED') {
    return new ControlError(
      'UNREACHABLE',
      'UNREACHABLE',
      `${identity} does not answer: ${describe(failure)}`,
    );
  }
  return new ControlError('NOT_NOW', 'RPC_FAILED', message, { retryAfterMs });
}
