// Calls over real connections: what is known of one that failed.

import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { credentials, status } from '@grpc/grpc-js';
import { expect, onTestFinished, test } from 'vitest';
import { IdentifyResponse, NodeAgentServiceClient } from '../../shared/gen/slipway/node/v1/node.js';
import { callUnary } from '../../shared/grpc/call.js';
import { nodeChannelOptions, serviceChannelOptions } from '../../shared/grpc/channel.js';
import { RpcError } from '../../shared/grpc/errors.js';
import { unary } from '../../shared/grpc/handler.js';
import { silentLogger } from '../../shared/logger.js';
import { deferred, startRig } from './grpc-support.js';

const log = silentLogger();

function identify(client: NodeAgentServiceClient, timeoutMs = 5000): Promise<IdentifyResponse> {
  return callUnary(client.identify.bind(client), {}, { timeoutMs });
}

test('a call that a server had in hand at its deadline may have had an effect', async () => {
  const release = deferred();
  const { agent } = await startRig({
    agent: {
      identify: unary(log, async () => {
        await release.promise;
        return IdentifyResponse.fromPartial({});
      }),
    },
  });
  await expect(identify(agent, 150)).rejects.toMatchObject({
    code: status.DEADLINE_EXCEEDED,
    neverConnected: false,
  });
  release.resolve();
});

test('a call whose connection broke may have had an effect', async () => {
  const started = deferred();
  const { server } = await startRig({
    agent: {
      identify: unary(log, async (_request, { signal }) => {
        started.resolve();
        await once(signal, 'abort');
        throw signal.reason;
      }),
    },
  });
  const sockets: Socket[] = [];
  const between = createServer((near) => {
    const far = connect(server.port, '127.0.0.1');
    for (const socket of [near, far]) {
      socket.on('error', () => {});
      sockets.push(socket);
    }
    near.pipe(far).pipe(near);
  });
  between.listen(0, '127.0.0.1');
  await once(between, 'listening');
  const bound = between.address();
  if (bound === null || typeof bound === 'string') throw new Error('no port');
  const client = new NodeAgentServiceClient(
    `127.0.0.1:${bound.port}`,
    credentials.createInsecure(),
    nodeChannelOptions,
  );
  onTestFinished(() => {
    client.close();
    between.close();
  });
  const failed = expect(identify(client)).rejects.toMatchObject({
    code: status.UNAVAILABLE,
    neverConnected: false,
  });
  await started.promise;
  for (const socket of sockets) socket.destroy();
  await failed;
});

test('a server that says what grpc-js says of a call never sent is not believed', async () => {
  const { agent } = await startRig({
    agent: {
      identify: unary(log, () => {
        throw new RpcError(status.UNAVAILABLE, 'No connection established. Last error: none');
      }),
    },
  });
  await expect(identify(agent)).rejects.toMatchObject({
    message: 'No connection established. Last error: none',
    neverConnected: false,
  });
});

test('a name that does not resolve was never called', async () => {
  const client = new NodeAgentServiceClient(
    'no-such-host.invalid:7430',
    credentials.createInsecure(),
    serviceChannelOptions,
  );
  onTestFinished(() => client.close());
  await expect(identify(client)).rejects.toMatchObject({ neverConnected: true });
});

test('a call on a closed client fails at once', async () => {
  const { agent } = await startRig();
  agent.close();
  await expect(identify(agent)).rejects.toMatchObject({ name: 'RpcError', neverConnected: true });
});

test('a reply over the limit of a channel is RESOURCE_EXHAUSTED without a time to retry', async () => {
  const { server } = await startRig({
    agent: { identify: unary(log, () => IdentifyResponse.fromPartial({ version: 'x'.repeat(2 << 20) })) },
  });
  const client = new NodeAgentServiceClient(server.address, credentials.createInsecure(), nodeChannelOptions);
  onTestFinished(() => client.close());
  await expect(identify(client)).rejects.toMatchObject({
    code: status.RESOURCE_EXHAUSTED,
    retryAfterMs: undefined,
  });
});

test('an abort ends a call at once with its reason', async () => {
  const started = deferred();
  const { agent } = await startRig({
    agent: {
      identify: unary(log, async (_request, { signal }) => {
        started.resolve();
        await once(signal, 'abort');
        throw signal.reason;
      }),
    },
  });
  const controller = new AbortController();
  const call = callUnary(agent.identify.bind(agent), {}, { timeoutMs: 60_000, signal: controller.signal });
  const failed = expect(call).rejects.toThrow('superseded');
  await started.promise;
  controller.abort(new Error('superseded'));
  await failed;
});
