// Why an operator's call is refused, as statuses of gRPC.

import { status } from '@grpc/grpc-js';
import { RpcError } from '../../../shared/grpc/errors.js';
import type { CallContext } from '../../../shared/grpc/handler.js';
import { ControlError, type ControlErrorKind } from '../control/control-error.js';
import { InputError } from '../control/dry-run/input.js';
import { invalid } from './arguments.js';

const codes: Readonly<Record<ControlErrorKind, status>> = {
  UNKNOWN_HOST: status.NOT_FOUND,
  BAD_ADDRESS: status.INVALID_ARGUMENT,
  NOT_NOW: status.FAILED_PRECONDITION,
  QUEUE_FULL: status.RESOURCE_EXHAUSTED,
  UNREACHABLE: status.UNAVAILABLE,
  CONTENDED: status.ABORTED,
};

/** @throws RpcError where the work fails for a reason that its caller is to know; else what it throws */
export async function toldToCaller<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof InputError) throw invalid([{ field: 'input_json', description: error.message }]);
    if (!(error instanceof ControlError)) throw error;
    const { kind, reason, message, retryAfterMs, cause } = error;
    if (kind === 'BAD_ADDRESS') throw invalid([{ field: 'address', description: message }]);
    throw new RpcError(codes[kind], message, { reason, retryAfterMs, cause });
  }
}

/** Who calls, as far as is known: the name in their certificate, else where they call from. */
export function callerOf({ peerName, peerHost }: Pick<CallContext, 'peerName' | 'peerHost'>): string {
  return peerName || peerHost;
}
