// What the credentials for nodes promise beyond grpc-js: no peer keeps a socket of ours. They rest on a part
// of grpc-js that may change with any version.

import { connect, type Socket } from 'node:net';
import { status } from '@grpc/grpc-js';
import { expect, onTestFinished, test } from 'vitest';
import { IdentifyResponse, NodeAgentServiceClient } from '../../shared/gen/slipway/node/v1/node.js';
import { callUnary } from '../../shared/grpc/call.js';
import { ipTarget, nodeChannelOptions } from '../../shared/grpc/channel.js';
import { insecureNodeCredentials } from '../../shared/grpc/credentials.js';
import { unary } from '../../shared/grpc/handler.js';
import { silentLogger } from '../../shared/logger.js';
import { startRig } from './grpc-support.js';
import { startPeer } from './peers.js';

function clientOf(address: string): NodeAgentServiceClient {
  return new NodeAgentServiceClient(ipTarget(address), insecureNodeCredentials(), nodeChannelOptions);
}

test('a call over a node channel works, by an IP that no resolver is asked for', async () => {
  const { server } = await startRig({
    agent: {
      identify: unary(silentLogger(), (_request, { authority }) =>
        IdentifyResponse.fromPartial({ identity: authority }),
      ),
    },
  });
  const client = clientOf(server.address);
  onTestFinished(() => client.close());
  const reply = await callUnary(client.identify.bind(client), {}, { timeoutMs: 5000 });
  expect(reply.identity).toBe(server.address);
});

test('a channel that is closed after a call leaves no socket', async () => {
  const { server } = await startRig({
    agent: { identify: unary(silentLogger(), () => IdentifyResponse.fromPartial({})) },
  });
  const { address, sockets, allClosed } = await startPeer((near) => {
    const far = connect(server.port, '127.0.0.1');
    near.pipe(far).pipe(near);
  });
  const client = clientOf(address);
  await callUnary(client.identify.bind(client), {}, { timeoutMs: 5000 });
  expect(sockets.map((socket) => socket.readableEnded)).toEqual([false]);
  client.close();
  await allClosed();
});

test('a refused connection is told at once, as one that never was', async () => {
  const { server } = await startRig();
  await server.stop(0);
  const client = clientOf(server.address);
  onTestFinished(() => client.close());
  await expect(callUnary(client.identify.bind(client), {}, { timeoutMs: 20_000 })).rejects.toMatchObject({
    code: status.UNAVAILABLE,
    message: expect.stringContaining('ECONNREFUSED'),
    neverConnected: true,
  });
});

test('peers that accept and say nothing cost their deadline and no socket', async () => {
  const { address, sockets, allClosed } = await startPeer((socket) => socket.resume());
  const closed = Array.from({ length: 20 }, async () => {
    const client = clientOf(address);
    await expect(callUnary(client.identify.bind(client), {}, { timeoutMs: 200 })).rejects.toMatchObject({
      code: status.DEADLINE_EXCEEDED,
      neverConnected: true,
    });
    client.close();
  });
  await Promise.all(closed);
  expect(sockets).toHaveLength(20);
  await allClosed();
});

test('a peer that closes at once, or speaks another protocol, is unavailable and costs no socket', async () => {
  const greet = (socket: Socket) => socket.write('220 mail.example.net ESMTP\r\n');
  for (const onConnection of [(socket: Socket) => socket.destroy(), greet]) {
    const { address, sockets, allClosed } = await startPeer(onConnection);
    const client = clientOf(address);
    await expect(callUnary(client.identify.bind(client), {}, { timeoutMs: 5000 })).rejects.toMatchObject({
      code: status.UNAVAILABLE,
      neverConnected: true,
    });
    client.close();
    for (const socket of sockets) socket.resume();
    await allClosed();
  }
});

test('a channel that is closed while it connects never speaks', async () => {
  const { address, allClosed } = await startPeer((socket) => socket.resume());
  const client = clientOf(address);
  const call = callUnary(client.identify.bind(client), {}, { timeoutMs: 5000 });
  const failed = expect(call).rejects.toMatchObject({ neverConnected: true });
  client.close();
  await failed;
  await allClosed();
});
