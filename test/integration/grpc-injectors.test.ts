// A server that chooses its credentials for each connection, and lets go of them: what of it stays, and what is cut.

import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect, createServer, type Socket } from 'node:net';
import { Server, ServerCredentials, status } from '@grpc/grpc-js';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../shared/clock.js';
import {
  GetInventoryResponse,
  IdentifyResponse,
  NodeAgentServiceClient,
  NodeAgentServiceService,
} from '../../shared/gen/slipway/node/v1/node.js';
import { callUnary } from '../../shared/grpc/call.js';
import { ipTarget, nodeChannelOptions } from '../../shared/grpc/channel.js';
import { pinnedNodeCredentials } from '../../shared/grpc/credentials.js';
import { unary } from '../../shared/grpc/handler.js';
import { Injectors } from '../../shared/grpc/injectors.js';
import { type RunningServer, startServer } from '../../shared/grpc/server.js';
import { silentLogger } from '../../shared/logger.js';
import { fixedServerCredentials } from '../../shared/tls/server-credentials.js';
import { makeCertificate, type TestCertificate } from '../fakes/certificates.js';
import { open } from './grpc-support.js';

let certificates: [TestCertificate, TestCertificate];

beforeAll(async () => {
  certificates = [await makeCertificate(), await makeCertificate()];
});

function credentialsOf({ certificatePem, keyPem }: TestCertificate): ServerCredentials {
  return fixedServerCredentials(certificatePem, keyPem);
}

interface Choosing {
  readonly server: RunningServer;
  /** What the next connection is served with; undefined: it is closed. */
  chosen: ServerCredentials | undefined;
  /** Lets the calls that wait be answered. */
  answer(): void;
}

async function startChoosing(): Promise<Choosing> {
  let answer = () => {};
  const answered = new Promise<GetInventoryResponse>((resolve) => {
    answer = () => resolve(GetInventoryResponse.fromPartial({}));
  });
  const choosing = { chosen: undefined as ServerCredentials | undefined, answer: () => answer() };
  const server = await startServer({
    listen: '127.0.0.1:0',
    log: silentLogger(),
    services: [
      open(NodeAgentServiceService, {
        identify: unary(silentLogger(), () => IdentifyResponse.fromPartial({ identity: 'n1' })),
        getInventory: unary(silentLogger(), () => answered),
      }),
    ],
    reflection: false,
    credentialsFor: () => choosing.chosen,
  });
  onTestFinished(() => server.stop(0));
  return Object.assign(choosing, { server });
}

function clientOf({ address }: RunningServer, { sha256 }: TestCertificate): NodeAgentServiceClient {
  const client = new NodeAgentServiceClient(
    ipTarget(address),
    pinnedNodeCredentials(sha256),
    nodeChannelOptions,
  );
  onTestFinished(() => client.close());
  return client;
}

function identify(client: NodeAgentServiceClient): Promise<string> {
  return callUnary(client.identify.bind(client), {}, { timeoutMs: 5_000 }).then(({ identity }) => identity);
}

test('each connection is served with what is chosen for it, and one that gets nothing is closed', async () => {
  const choosing = await startChoosing();
  const [first, second] = certificates;
  choosing.chosen = credentialsOf(first);
  const ofFirst = clientOf(choosing.server, first);
  expect(await identify(ofFirst)).toBe('n1');
  choosing.chosen = credentialsOf(second);
  expect(await identify(clientOf(choosing.server, second))).toBe('n1');
  expect(await identify(ofFirst)).toBe('n1');
  choosing.chosen = undefined;
  await expect(identify(clientOf(choosing.server, first))).rejects.toMatchObject({
    code: status.UNAVAILABLE,
  });
});

test('credentials that are let go of end their connections once calls are answered, and no others', async () => {
  const choosing = await startChoosing();
  const [first, second] = certificates;
  const old = credentialsOf(first);
  choosing.chosen = old;
  const ofFirst = clientOf(choosing.server, first);
  await identify(ofFirst);
  const waiting = callUnary(ofFirst.getInventory.bind(ofFirst), {}, { timeoutMs: 5_000 });
  choosing.chosen = credentialsOf(second);
  const ofSecond = clientOf(choosing.server, second);
  await identify(ofSecond);
  choosing.server.release(old, 5_000);
  choosing.answer();
  await waiting;
  await expect(identify(ofFirst)).rejects.toThrow();
  expect(await identify(ofSecond)).toBe('n1');
});

test('a call that is not answered in time is cut, and so is a handshake', async () => {
  const choosing = await startChoosing();
  const [first] = certificates;
  choosing.chosen = credentialsOf(first);
  const client = clientOf(choosing.server, first);
  await identify(client);
  const waiting = callUnary(client.getInventory.bind(client), {}, { timeoutMs: 20_000 });
  const stalled = connect(choosing.server.port, '127.0.0.1');
  stalled.on('error', () => {});
  await once(stalled, 'connect');
  // Taken in by the time that this one is.
  await identify(clientOf(choosing.server, first));
  const closed = once(stalled.resume(), 'close');
  choosing.server.release(choosing.chosen, 50);
  await expect(waiting).rejects.toThrow();
  await closed;
});

test('nothing of credentials that were let go of stays in the server', async () => {
  const server = new Server();
  const injectors = new Injectors(server, systemClock, silentLogger());
  let next = ServerCredentials.createInsecure();
  const listener = createServer({ pauseOnConnect: true }, (socket: Socket) => injectors.inject(socket, next));
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  onTestFinished(() => void listener.close());
  onTestFinished(() => server.forceShutdown());
  const address = listener.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  for (let boot = 0; boot < 1_000; boot++) {
    next = ServerCredentials.createInsecure();
    const session = connectHttp2(`http://127.0.0.1:${port}`);
    await once(session, 'remoteSettings');
    const closed = once(session, 'close');
    injectors.release(next, 10_000);
    await closed;
  }
  const { http2Servers, sessions } = server as unknown as Record<string, Map<unknown, unknown>>;
  await expect.poll(() => [http2Servers?.size, sessions?.size]).toEqual([0, 0]);
  injectors.close();
});
