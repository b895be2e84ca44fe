// ProvisionHost: an operator has a host run now.

import { z } from 'zod';
import type {
  ProvisionHostRequest,
  ProvisionHostResponse,
} from '../../../shared/gen/slipway/provisioner/v1/provisioner.js';
import type { CallContext } from '../../../shared/grpc/handler.js';
import type { OperatorControl } from '../control/control.js';
import { checked } from './arguments.js';
import { callerOf, toldToCaller } from './control-status.js';
import { toHost } from './convert-host.js';
import { identityArgument } from './identity-argument.js';

const requestSchema = z.object({ identity: identityArgument, address: z.string(), force: z.boolean() });

/** @throws RpcError */
export async function provisionHost(
  control: Pick<OperatorControl, 'provision'>,
  request: ProvisionHostRequest,
  context: CallContext,
): Promise<ProvisionHostResponse> {
  const order = checked(requestSchema, request);
  const { identity, address, force } = order;
  const host = await toldToCaller(() => control.provision(order, context.signal));
  const fields = {
    identity,
    by: callerOf(context),
    ...(address !== '' && { address }),
    ...(force && { force }),
  };
  context.log.info(fields, 'host is to be provisioned, as an operator wants');
  return { host: host && toHost(host) };
}
