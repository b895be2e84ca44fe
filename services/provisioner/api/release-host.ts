// ReleaseHost: an operator has a host forgotten. The release happens also where nobody waits for it any more.

import { z } from 'zod';
import { HostState, Outcome } from '../../../shared/gen/slipway/provisioner/v1/host.js';
import type {
  ReleaseHostRequest,
  ReleaseHostResponse,
} from '../../../shared/gen/slipway/provisioner/v1/provisioner.js';
import type { CallContext } from '../../../shared/grpc/handler.js';
import type { OperatorControl } from '../control/control.js';
import { checked } from './arguments.js';
import { callerOf, toldToCaller } from './control-status.js';
import { identityArgument } from './identity-argument.js';

const requestSchema = z.object({ identity: identityArgument });

/** @throws RpcError */
export async function releaseHost(
  control: Pick<OperatorControl, 'release'>,
  request: ReleaseHostRequest,
  context: CallContext,
): Promise<ReleaseHostResponse> {
  const { identity } = checked(requestSchema, request);
  const { previous, run } = await toldToCaller(() => control.release(identity));
  const fields = { identity, state: previous, by: callerOf(context), ...(run && { run_id: run.runId }) };
  context.log.info(fields, 'host is released, as an operator wants');
  const outcome = run && (await orGivenUp(run.outcome, context.signal));
  return {
    previousState: HostState[previous],
    runId: run?.runId ?? '',
    outcome: Outcome[outcome ?? 'UNSPECIFIED'],
  };
}

/** @throws the signal's reason */
function orGivenUp<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
