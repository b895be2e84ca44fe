// GetHost: one host, its runs, and what it waits for.

import { status } from '@grpc/grpc-js';
import { z } from 'zod';
import type {
  GetHostRequest,
  GetHostResponse,
} from '../../../shared/gen/slipway/provisioner/v1/provisioner.js';
import { RpcError } from '../../../shared/grpc/errors.js';
import { toTimestamp } from '../../../shared/wire/time.js';
import type { Overview } from '../standing/overview.js';
import type { ProvisionerStatus } from '../standing/status.js';
import { checked } from './arguments.js';
import { toHost, toRun, toWait } from './convert-host.js';
import { identityArgument } from './identity-argument.js';
import type { Recall } from './recall.js';

const requestSchema = z.object({ identity: identityArgument });

/** @throws RpcError INVALID_ARGUMENT, NOT_FOUND */
export function getHost(
  { accounts, about, status: current }: Pick<Overview, 'accounts' | 'about' | 'status'>,
  recall: Recall,
  request: GetHostRequest,
): GetHostResponse {
  const { identity } = checked(requestSchema, request);
  const account = accounts.of(identity, recall);
  if (account === undefined) throw unknown(identity, current());
  const { host, waits, runs } = account;
  return {
    host: toHost(host),
    waits: waits.map(toWait),
    runs: runs.map(toRun),
    provisionerStartedAt: toTimestamp(about.startedAt),
  };
}

/** A node may be there and not be known: whatever keeps nodes out is said. */
function unknown(identity: string, { pause, readiness, dropped }: ProvisionerStatus): RpcError {
  const reasons = [
    'it was not sighted since the provisioner started, and the event log has nothing of it; ask discovery whether it is there',
    ...(pause === undefined ? [] : ['the provisioner is paused and admits no host']),
    ...(readiness.ready ? [] : [`the provisioner is not ready: ${readiness.why}`]),
    ...(dropped === 0 ? [] : [`${dropped} sightings did not fit into the queue, of which it may be one`]),
  ];
  const message = `nothing is known of ${identity}: ${reasons.join('; ')}`;
  return new RpcError(status.NOT_FOUND, message, { reason: 'HOST_NOT_FOUND' });
}
