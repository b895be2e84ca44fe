// The gate of a listener counts connections with TLS as it counts others: until they are closed.

import { type ChannelCredentials, credentials, type ServerCredentials } from '@grpc/grpc-js';
import { expect, onTestFinished, test } from 'vitest';
import {
  IdentifyResponse,
  NodeAgentServiceClient,
  NodeAgentServiceService,
} from '../../shared/gen/slipway/node/v1/node.js';
import { callUnary } from '../../shared/grpc/call.js';
import { nodeChannelOptions } from '../../shared/grpc/channel.js';
import { learningNodeCredentials } from '../../shared/grpc/credentials.js';
import { unary } from '../../shared/grpc/handler.js';
import { startServer } from '../../shared/grpc/server.js';
import { silentLogger } from '../../shared/logger.js';
import { fixedServerCredentials } from '../../shared/tls/server-credentials.js';
import { makeCertificate } from '../fakes/certificates.js';
import { FakeClock } from '../fakes/fake-clock.js';
import { agentServing, open } from './grpc-support.js';

const cases: readonly [string, () => Promise<ServerCredentials | undefined>, () => ChannelCredentials][] = [
  ['without TLS', async () => undefined, () => credentials.createInsecure()],
  [
    'with TLS',
    async () => {
      const { certificatePem, keyPem } = await makeCertificate();
      return fixedServerCredentials(certificatePem, keyPem);
    },
    () => learningNodeCredentials(() => {}),
  ],
];

test.each(cases)('%s one that is closed makes room for the next at once', async (_what, made, channel) => {
  const serverCredentials = await made();
  const identify = unary(silentLogger(), () => IdentifyResponse.fromPartial({ identity: 'n1' }));
  const server = await startServer({
    listen: '127.0.0.1:0',
    services: [open(NodeAgentServiceService, agentServing({ identify }))],
    ...(serverCredentials && { credentials: serverCredentials }),
    log: silentLogger(),
    gate: { atOnce: { fewest: 1, most: 1 }, sourceOf: () => '', turnedAway: () => {} },
    // It stands still: no connection is done because it is old.
    clock: new FakeClock(),
  });
  const clients: NodeAgentServiceClient[] = [];
  onTestFinished(async () => {
    for (const client of clients) client.close();
    await server.stop(0);
  });
  for (let turn = 0; turn < 5; turn++) {
    const client = new NodeAgentServiceClient(server.address, channel(), nodeChannelOptions);
    clients.push(client);
    const reply = await callUnary(client.identify.bind(client), {}, { timeoutMs: 10_000 });
    expect(reply.identity).toBe('n1');
    client.close();
  }
});
