// A provisioner and a discovery service that answer what a test has them answer, over real gRPC on loopback.

import type { ServerCredentials } from '@grpc/grpc-js';
import { onTestFinished } from 'vitest';
import {
  type NodeDiscoveryServiceServer,
  NodeDiscoveryServiceService,
} from '../../shared/gen/slipway/discovery/v1/discovery.js';
import {
  type ProvisioningEventServiceServer,
  ProvisioningEventServiceService,
} from '../../shared/gen/slipway/provisioner/v1/events.js';
import {
  type ProvisionerServiceServer,
  ProvisionerServiceService,
} from '../../shared/gen/slipway/provisioner/v1/provisioner.js';
import { unary, unimplemented } from '../../shared/grpc/handler.js';
import { type RunningServer, type ServedService, startServer } from '../../shared/grpc/server.js';
import { silentLogger } from '../../shared/logger.js';

export interface FakeServices {
  readonly provisioner?: Partial<ProvisionerServiceServer>;
  readonly events?: Partial<ProvisioningEventServiceServer>;
  readonly discovery?: Partial<NodeDiscoveryServiceServer>;
  readonly listen?: string;
  readonly credentials?: ServerCredentials;
}

/** Serves all three on one port, until the test is over; what is not given is unimplemented. */
export async function startFakeServices(given: FakeServices): Promise<RunningServer> {
  const server = await startServer({
    listen: given.listen ?? '127.0.0.1:0',
    log: silentLogger(),
    services: [
      openService(ProvisionerServiceService, given.provisioner ?? {}),
      openService(ProvisioningEventServiceService, given.events ?? {}),
      openService(NodeDiscoveryServiceService, given.discovery ?? {}),
    ],
    ...(given.credentials && { credentials: given.credentials }),
  });
  onTestFinished(() => server.stop(0));
  return server;
}

/** Answers one RPC; what it is asked is kept. */
export function answering<Req, Res>(
  answer: (request: Req) => Res | Promise<Res>,
): { readonly handler: ReturnType<typeof unary<Req, Res>>; readonly requests: Req[] } {
  const requests: Req[] = [];
  const handler = unary<Req, Res>(silentLogger(), (request) => {
    requests.push(request);
    return answer(request);
  });
  return { handler, requests };
}

function openService(definition: ServedService['definition'], given: object): ServedService {
  const names = Object.entries(definition).map(
    ([method, { path }]) => [method, path.slice(path.lastIndexOf('/') + 1)] as const,
  );
  const missing = Object.fromEntries(names.map(([method, name]) => [method, unimplemented(name)]));
  return {
    definition,
    implementation: { ...missing, ...given },
    access: Object.fromEntries(names.map(([, name]) => [name, 'OPEN'])),
  };
}
