// Connections to services, for as long as one command lasts.

import { type ChannelCredentials, type ChannelOptions, credentials } from '@grpc/grpc-js';
import { NodeDiscoveryServiceClient } from '../../shared/gen/slipway/discovery/v1/discovery.js';
import { ProvisioningEventServiceClient } from '../../shared/gen/slipway/provisioner/v1/events.js';
import { ProvisionerServiceClient } from '../../shared/gen/slipway/provisioner/v1/provisioner.js';
import { callUnary, type UnaryMethod } from '../../shared/grpc/call.js';
import { serviceChannelOptions } from '../../shared/grpc/channel.js';
import { RpcError } from '../../shared/grpc/errors.js';
import type { Terminal } from '../terminal.js';
import { failureOf } from './failure.js';
import type { Identity } from './identity.js';
import { type ConnectionOptions, type Peer, type Target, targetOf } from './options.js';

/** One connection. */
export interface Connection<Client> {
  readonly client: Client;
  readonly target: Target;
  /** @throws CommandError */
  call<Req, Res>(method: UnaryMethod<Req, Res>, request: Req): Promise<Res>;
}

/** The result of a trial of the helper has its input and its reply in it, which may be 4 and 8 MiB. */
const channelOptions: ChannelOptions = {
  ...serviceChannelOptions,
  'grpc.max_receive_message_length': 16 << 20,
};

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
  const identity = await identityFor(target, terminal);
  const client = new Class(target.address, identity.credentials, channelOptions);
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
    identity.close();
  }
}

/** What reads certificates takes longer to load than all else: it is loaded where there are some. */
async function identityFor(target: Target, terminal: Terminal): Promise<Identity> {
  const { tls, peer } = target;
  if (tls === undefined) return { credentials: credentials.createInsecure(), close: () => {} };
  return (await import('./identity.js')).openIdentity(tls, peer, terminal);
}
