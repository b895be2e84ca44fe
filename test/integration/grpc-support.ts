// What the tests of shared/grpc have in common: a real server on a free port and real clients of it, all
// gone when the test is.

import {
  credentials,
  type ServerCredentials,
  type ServerOptions,
  type ServiceDefinition,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { onTestFinished } from 'vitest';
import {
  NodeDiscoveryServiceClient,
  type NodeDiscoveryServiceServer,
  NodeDiscoveryServiceService,
  type WatchNodesResponse,
} from '../../shared/gen/slipway/discovery/v1/discovery.js';
import {
  NodeAgentServiceClient,
  type NodeAgentServiceServer,
  NodeAgentServiceService,
} from '../../shared/gen/slipway/node/v1/node.js';
import { serviceChannelOptions } from '../../shared/grpc/channel.js';
import { unimplemented } from '../../shared/grpc/handler.js';
import { type RunningServer, type ServedService, startServer } from '../../shared/grpc/server.js';
import { type Logger, silentLogger } from '../../shared/logger.js';

export interface Rig {
  readonly server: RunningServer;
  readonly agent: NodeAgentServiceClient;
  readonly discovery: NodeDiscoveryServiceClient;
}

export interface RigOptions {
  readonly agent?: Partial<NodeAgentServiceServer>;
  readonly discovery?: Partial<NodeDiscoveryServiceServer>;
  readonly listen?: string;
  readonly log?: Logger;
  readonly options?: ServerOptions;
  /** The rig's own clients are for a server without TLS. */
  readonly credentials?: ServerCredentials;
}

/** Serves the node contract and the discovery contract on one port; what is not given is unimplemented. */
export async function startRig(options: RigOptions = {}): Promise<Rig> {
  const server = await startServer({
    listen: options.listen ?? '127.0.0.1:0',
    log: options.log ?? silentLogger(),
    services: [
      open(NodeAgentServiceService, agentServing(options.agent)),
      open(NodeDiscoveryServiceService, discoveryServing(options.discovery)),
    ],
    options: options.options ?? {},
    ...(options.credentials && { credentials: options.credentials }),
  });
  const insecure = credentials.createInsecure();
  const agent = new NodeAgentServiceClient(server.address, insecure, serviceChannelOptions);
  const discovery = new NodeDiscoveryServiceClient(server.address, insecure, serviceChannelOptions);
  onTestFinished(async () => {
    agent.close();
    discovery.close();
    await server.stop(0);
  });
  return { server, agent, discovery };
}

/** A service that everybody may call. */
export function open(
  definition: ServiceDefinition,
  implementation: UntypedServiceImplementation,
): ServedService {
  const names = Object.values(definition).map(({ path }) => path.slice(path.lastIndexOf('/') + 1));
  return { definition, implementation, access: Object.fromEntries(names.map((name) => [name, 'OPEN'])) };
}

export function agentServing(given: Partial<NodeAgentServiceServer> = {}): NodeAgentServiceServer {
  return {
    identify: unimplemented('Identify'),
    getJwt: unimplemented('GetJwt'),
    generateEd25519Key: unimplemented('GenerateEd25519Key'),
    getInventory: unimplemented('GetInventory'),
    generateCsr: unimplemented('GenerateCsr'),
    updateRelease: unimplemented('UpdateRelease'),
    configure: unimplemented('Configure'),
    restart: unimplemented('Restart'),
    shutdown: unimplemented('Shutdown'),
    reprovision: unimplemented('Reprovision'),
    getRunStatus: unimplemented('GetRunStatus'),
    ...given,
  };
}

function discoveryServing(given: Partial<NodeDiscoveryServiceServer> = {}): NodeDiscoveryServiceServer {
  return {
    watchNodes: unimplemented('WatchNodes'),
    listNodes: unimplemented('ListNodes'),
    discover: unimplemented('Discover'),
    ...given,
  };
}

/** A message of a watch that is told from others by its number. */
export function numbered(number: number, padding = 0): WatchNodesResponse {
  const position = { epoch: 'x'.repeat(padding), revision: BigInt(number) };
  return { message: { $case: 'synced', value: { position, interval: undefined } } };
}

/** @returns the number that {@link numbered} was given */
export function numberOf(response: WatchNodesResponse): number {
  return response.message?.$case === 'synced' ? Number(response.message.value.position?.revision ?? -1) : -1;
}

/** A promise, and the means to resolve it. */
export function deferred<T = void>(): {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
} {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** Waits until a number has not risen during many round trips. */
export async function standsStill(read: () => number, roundTrip: () => Promise<unknown>): Promise<void> {
  for (let seen = -1; seen !== read(); ) {
    seen = read();
    for (let trip = 0; trip < 20; trip++) await roundTrip();
  }
}
