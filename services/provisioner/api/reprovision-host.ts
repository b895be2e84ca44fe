// ReprovisionHost: an operator has a configured node go back into provisioning mode.

import { z } from 'zod';
import type {
  ReprovisionHostRequest,
  ReprovisionHostResponse,
} from '../../../shared/gen/slipway/provisioner/v1/provisioner.js';
import type { CallContext } from '../../../shared/grpc/handler.js';
import { toDuration } from '../../../shared/wire/time.js';
import type { OperatorControl } from '../control/control.js';
import { checked } from './arguments.js';
import { callerOf, toldToCaller } from './control-status.js';
import { identityArgument } from './identity-argument.js';

const requestSchema = z.object({ identity: identityArgument, address: z.string() });

/** @throws RpcError */
export async function reprovisionHost(
  control: Pick<OperatorControl, 'reprovision'>,
  request: ReprovisionHostRequest,
  context: CallContext,
): Promise<ReprovisionHostResponse> {
  const { identity, address } = checked(requestSchema, request);
  const { runId, message, restartingInMs } = await toldToCaller(() =>
    control.reprovision(identity, address, context.signal),
  );
  const fields = { identity, run_id: runId, by: callerOf(context), ...(address !== '' && { address }) };
  context.log.info(fields, 'node goes back into provisioning mode, as an operator wants');
  return {
    runId,
    message,
    restartingIn: restartingInMs === undefined ? undefined : toDuration(restartingInMs),
  };
}
