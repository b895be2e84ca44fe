// Connections to the services of a stack, as an operator has them.

import { join } from 'node:path';
import { type ChannelCredentials, type ChannelOptions, credentials } from '@grpc/grpc-js';
import type { Stack } from '../../../../cli/launch/stack.js';
import { systemClock } from '../../../../shared/clock.js';
import { serviceChannelOptions } from '../../../../shared/grpc/channel.js';
import { silentLogger } from '../../../../shared/logger.js';
import { serviceCredentials } from '../../../../shared/tls/channel-credentials.js';
import { TlsFiles } from '../../../../shared/tls/tls-files.js';

type ClientClass<Client> = new (
  address: string,
  credentials: ChannelCredentials,
  options: ChannelOptions,
) => Client;

/** Gives a client to `use`, and closes it after that. @param tls whether the stack's connections are encrypted */
export async function withClient<Client extends { close(): void }, T>(
  Class: ClientClass<Client>,
  stack: Stack,
  service: 'discovery' | 'provisioner',
  tls: boolean,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const port = service === 'discovery' ? stack.ports.consumers : stack.ports.provisioner;
  const files = tls ? await operatorFiles(stack.trust?.certificates ?? '') : undefined;
  const trusted = files === undefined ? credentials.createInsecure() : serviceCredentials(files, service);
  const client = new Class(`127.0.0.1:${port}`, trusted, serviceChannelOptions);
  try {
    return await use(client);
  } finally {
    client.close();
    files?.close();
  }
}

/** @param certificates the folder of a stack's certificates */
export function operatorFiles(certificates: string): Promise<TlsFiles> {
  const inFolder = (name: string) => join(certificates, name);
  const paths = { cert: inFolder('operator.pem'), key: inFolder('operator-key.pem'), ca: inFolder('ca.pem') };
  return TlsFiles.open(paths, { clock: systemClock, log: silentLogger() });
}
