// Connections to services, for as long as one command lasts.

import { type ChannelCredentials, type ChannelOptions, credentials } from '@grpc/grpc-js';
import { systemClock } from '../../shared/clock.js';
import { ConfigError } from '../../shared/config/config-error.js';
import { NodeDiscoveryServiceClient } from '../../shared/gen/slipway/discovery/v1/discovery.js';
import { ProvisioningEventServiceClient } from '../../shared/gen/slipway/provisioner/v1/events.js';
import { ProvisionerServiceClient } from '../../shared/gen/slipway/provisioner/v1/provisioner.js';
import { callUnary, type UnaryMethod } from '../../shared/grpc/call.js';
import { serviceChannelOptions } from '../../shared/grpc/channel.js';
import { RpcError } from '../../shared/grpc/errors.js';
import { serviceCredentials } from '../../shared/tls/channel-credentials.js';
import { TlsFiles, type TlsFilesOptions } from '../../shared/tls/tls-files.js';
import { UsageError } from '../command-error.js';
import type { Terminal } from '../terminal.js';
import { failureOf } from './failure.js';
import { type ConnectionOptions, type Peer, type Target, targetOf } from './options.js';

/** One connection. */
export interface Connection<Client> {
  readonly client: Client;
  readonly target: Target;
  /** @throws CommandError */
  call<Req, Res>(method: UnaryMethod<Req, Res>, request: Req): Promise<Res>;
}

type Use<Client, T> = (connection: Connection<Client>) => Promise<T>;

type ClientClass<Client> = new (
  address: string,
  credentials: ChannelCredentials,
  options: ChannelOptions,
) => Client;

/** @throws CommandError */
export function withProvisioner<T>(
  options: ConnectionOptions,
  terminal: Terminal,
  use: Use<ProvisionerServiceClient, T>,
): Promise<T> {
  return withClient(ProvisionerServiceClient, 'provisioner', options, terminal, use);
}

/** @throws CommandError */
export function withEvents<T>(
  options: ConnectionOptions,
  terminal: Terminal,
  use: Use<ProvisioningEventServiceClient, T>,
): Promise<T> {
  return withClient(ProvisioningEventServiceClient, 'provisioner', options, terminal, use);
}

/** @throws CommandError */
export function withDiscovery<T>(
  options: ConnectionOptions,
  terminal: Terminal,
  use: Use<NodeDiscoveryServiceClient, T>,
): Promise<T> {
  return withClient(NodeDiscoveryServiceClient, 'discovery', options, terminal, use);
}

async function withClient<Client extends { close(): void }, T>(
  Class: ClientClass<Client>,
  peer: Peer,
  options: ConnectionOptions,
  terminal: Terminal,
  use: Use<Client, T>,
): Promise<T> {
  const target = targetOf(peer, options, terminal);
  const files = await openFiles(target, terminal);
  const client = new Class(
    target.address,
    files === undefined ? credentials.createInsecure() : serviceCredentials(files, peer),
    serviceChannelOptions,
  );
  const call: Connection<Client>['call'] = (method, request) =>
    callUnary(method.bind(client) as typeof method, request, { timeoutMs: target.timeoutMs }).catch(
      (error: unknown) => {
        throw error instanceof RpcError ? failureOf(error, target) : error;
      },
    );
  try {
    return await use({ client, target, call });
  } finally {
    client.close();
    files?.close();
  }
}

async function openFiles({ tls }: Target, terminal: Terminal): Promise<TlsFiles | undefined> {
  if (tls === undefined) return undefined;
  try {
    return await TlsFiles.open(tls, {
      clock: systemClock,
      log: warningsTo(terminal),
      usages: ['clientAuth'],
    });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const problems = error.problems.map(
      ({ path, message }) => `${path.replace('tls.', '--tls-')}: ${message}`,
    );
    throw new UsageError(problems.join('; '), { cause: error });
  }
}

/** What is odd about the files is told; that they have changed is not of interest here. */
function warningsTo(terminal: Terminal): TlsFilesOptions['log'] {
  const warn = (...words: readonly unknown[]) => {
    terminal.err(`slipway: ${words.filter((word) => typeof word === 'string').join(' ')}\n`);
  };
  return { warn, error: warn, info: () => {} };
}
