// An operator of a stack, with a certificate of the site.

import { join } from 'node:path';
import type { Stack } from '../../../cli/launch/stack.js';
import { systemClock } from '../../../shared/clock.js';
import { ProvisionerServiceClient } from '../../../shared/gen/slipway/provisioner/v1/provisioner.js';
import { callUnary } from '../../../shared/grpc/call.js';
import { serviceChannelOptions } from '../../../shared/grpc/channel.js';
import { silentLogger } from '../../../shared/logger.js';
import { serviceCredentials } from '../../../shared/tls/channel-credentials.js';
import { TlsFiles } from '../../../shared/tls/tls-files.js';

const limits = { timeoutMs: 10_000 };

/** @throws RpcError */
export function pause(stack: Stack): Promise<void> {
  return order(stack, async (client) => {
    await callUnary(client.pause.bind(client), { message: 'a test' }, limits);
  });
}

/** @throws RpcError */
export function resume(stack: Stack): Promise<void> {
  return order(stack, async (client) => {
    await callUnary(client.resume.bind(client), { message: 'a test' }, limits);
  });
}

async function order(stack: Stack, give: (client: ProvisionerServiceClient) => Promise<void>): Promise<void> {
  const folder = stack.trust?.certificates ?? '';
  const paths = {
    ca: join(folder, 'ca.pem'),
    cert: join(folder, 'operator.pem'),
    key: join(folder, 'operator-key.pem'),
  };
  const files = await TlsFiles.open(paths, { clock: systemClock, log: silentLogger() });
  const client = new ProvisionerServiceClient(
    `127.0.0.1:${stack.ports.provisioner}`,
    serviceCredentials(files, 'provisioner'),
    serviceChannelOptions,
  );
  try {
    await give(client);
  } finally {
    client.close();
    files.close();
  }
}
