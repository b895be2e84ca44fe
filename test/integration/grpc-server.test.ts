// A server over real connections: health, limits, how it stops, and what it says where it cannot start.

import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import {
  type ClientReadableStream,
  credentials,
  makeGenericClientConstructor,
  type ServiceDefinition,
  type ServiceError,
  status,
} from '@grpc/grpc-js';
import { service as healthService } from 'grpc-health-check';
import { expect, onTestFinished, test } from 'vitest';
import { sleep, systemClock } from '../../shared/clock.js';
import {
  NodeDiscoveryServiceClient,
  WatchNodesRequest,
} from '../../shared/gen/slipway/discovery/v1/discovery.js';
import {
  ConfigureRequest,
  IdentifyResponse,
  NodeAgentServiceClient,
} from '../../shared/gen/slipway/node/v1/node.js';
import { callUnary } from '../../shared/grpc/call.js';
import { ipTarget } from '../../shared/grpc/channel.js';
import { fromServiceError, type RpcError } from '../../shared/grpc/errors.js';
import { type CallContext, serverStream, unary } from '../../shared/grpc/handler.js';
import { routeLibraryLog } from '../../shared/grpc/library-log.js';
import { startServer } from '../../shared/grpc/server.js';
import { silentLogger } from '../../shared/logger.js';
import { AddressError, formatHostPort } from '../../shared/net/addresses.js';
import { ListenError } from '../../shared/net/listen-error.js';
import { systemLookup } from '../../shared/net/lookup.js';
import { deferred, numbered, standsStill, startRig } from './grpc-support.js';

const log = silentLogger();
routeLibraryLog(log);
const request = WatchNodesRequest.fromPartial({});

function identify(agent: NodeAgentServiceClient): Promise<IdentifyResponse> {
  return callUnary(agent.identify.bind(agent), {}, { timeoutMs: 10_000 });
}

function answered(): IdentifyResponse {
  return IdentifyResponse.fromPartial({ identity: 'node1' });
}

/** How a stream ended: with an error, in every case here. */
function endOf(stream: ClientReadableStream<unknown>): Promise<RpcError> {
  stream.on('data', () => {});
  return new Promise((resolve, reject) => {
    stream.on('end', () => reject(new Error('the stream ended well')));
    stream.on('error', (error: ServiceError) => resolve(fromServiceError(error)));
  });
}

interface HealthClient {
  check(request: { service: string }): Promise<string>;
  watch(request: { service: string }): ClientReadableStream<{ status: string }>;
}

function healthClient(address: string): HealthClient {
  const Client = makeGenericClientConstructor(healthService as ServiceDefinition, 'Health');
  const client = new Client(address, credentials.createInsecure());
  onTestFinished(() => client.close());
  return {
    check: (of) =>
      new Promise((resolve, reject) => {
        client.Check?.(of, (error: ServiceError | null, reply: { status: string }) =>
          error === null ? resolve(reply.status) : reject(fromServiceError(error)),
        );
      }),
    watch: (of) => client.Watch?.(of) as ClientReadableStream<{ status: string }>,
  };
}

test('health speaks for the server and for each service', async () => {
  const { server } = await startRig();
  const health = healthClient(server.address);
  expect(await health.check({ service: '' })).toBe('SERVING');
  expect(await health.check({ service: 'slipway.node.v1.NodeAgentService' })).toBe('SERVING');
  await expect(health.check({ service: 'no.such.Service' })).rejects.toMatchObject({
    code: status.NOT_FOUND,
  });
  server.setServing(false);
  expect(await health.check({ service: '' })).toBe('NOT_SERVING');
  server.setServing(true);
  expect(await health.check({ service: 'slipway.discovery.v1.NodeDiscoveryService' })).toBe('SERVING');
});

test('a stop ends every stream with UNAVAILABLE, tells health watchers first, and comes back', async () => {
  const open = deferred();
  const { server, discovery } = await startRig({
    discovery: {
      watchNodes: serverStream(log, async (_request, { signal }, write) => {
        await write(numbered(1));
        open.resolve();
        await once(signal, 'abort');
        throw signal.reason;
      }),
    },
  });
  const watch = endOf(discovery.watchNodes(request));
  const healthWatch = healthClient(server.address).watch({ service: '' });
  const statuses: string[] = [];
  healthWatch.on('data', (reply) => statuses.push(reply.status));
  const healthWatchEnd = endOf(healthWatch);
  await Promise.all([open.promise, once(healthWatch, 'data')]);
  await server.stop(20_000);
  expect(await watch).toMatchObject({ code: status.UNAVAILABLE, message: 'the server is stopping' });
  expect(await healthWatchEnd).toMatchObject({ code: status.UNAVAILABLE });
  expect(statuses).toEqual(['SERVING', 'NOT_SERVING']);
});

test('a stop lets calls in hand finish and lets no new ones in', async () => {
  const started = deferred();
  const release = deferred();
  const { server, agent, discovery } = await startRig({
    agent: {
      identify: unary(log, async () => {
        started.resolve();
        await release.promise;
        return answered();
      }),
    },
  });
  const health = healthClient(server.address);
  expect(await health.check({ service: '' })).toBe('SERVING');
  const inHand = identify(agent);
  await started.promise;
  const stopped = server.stop(20_000);
  await expect(identify(agent)).rejects.toMatchObject({
    code: status.UNAVAILABLE,
    message: 'the server is stopping',
    neverConnected: false,
  });
  expect(await endOf(discovery.watchNodes(request))).toMatchObject({ code: status.UNAVAILABLE });
  expect(await health.check({ service: '' })).toBe('NOT_SERVING');
  server.setServing(true);
  expect(await health.check({ service: '' })).toBe('NOT_SERVING');
  release.resolve();
  expect(await inHand).toMatchObject({ identity: 'node1' });
  await stopped;
  await expect(identify(agent)).rejects.toMatchObject({ code: status.UNAVAILABLE, neverConnected: true });
});

test('keepalive does not cut a call that is still in hand while the server stops', async () => {
  const started = deferred();
  const { server, agent } = await startRig({
    options: { 'grpc.keepalive_time_ms': 100, 'grpc.keepalive_timeout_ms': 50 },
    agent: {
      identify: unary(log, async () => {
        started.resolve();
        await sleep(systemClock, 600);
        return answered();
      }),
    },
  });
  const inHand = identify(agent);
  await started.promise;
  const stopped = server.stop(20_000);
  expect(await inHand).toMatchObject({ identity: 'node1' });
  await stopped;
});

test('a call that does not finish is ended after the grace, and its handler is told', async () => {
  const started = deferred<CallContext>();
  const { server, agent } = await startRig({
    agent: {
      identify: unary(log, async (_request, context) => {
        started.resolve(context);
        await once(context.signal, 'abort');
        throw context.signal.reason;
      }),
    },
  });
  const cut = expect(identify(agent)).rejects.toMatchObject({
    code: status.UNAVAILABLE,
    message: 'the server is stopping',
  });
  const { signal } = await started.promise;
  await server.stop(200);
  await cut;
  expect(signal.aborted).toBe(true);
});

test('a stop does not wait out its grace for a reader that stands still', async () => {
  let written = 0;
  const { server, discovery, agent } = await startRig({
    agent: { identify: unary(log, answered) },
    discovery: {
      watchNodes: serverStream(log, async (_request, _context, write) => {
        for (; ; written++) await write(numbered(written, 10_000));
      }),
    },
  });
  const stream = discovery.watchNodes(request);
  stream.on('error', () => {});
  await once(stream, 'readable');
  await standsStill(
    () => written,
    () => identify(agent),
  );
  const start = systemClock.monotonic();
  await server.stop(60_000);
  expect(systemClock.monotonic() - start).toBeLessThan(10_000);
});

test('a reader that is dead is noticed, and its handler told', async () => {
  const aborted = deferred<unknown>();
  const { server } = await startRig({
    options: { 'grpc.keepalive_time_ms': 200, 'grpc.keepalive_timeout_ms': 100 },
    discovery: {
      watchNodes: serverStream(log, async (_request, { signal }, write) => {
        await write(numbered(1));
        await once(signal, 'abort');
        aborted.resolve(signal.reason);
        throw signal.reason;
      }),
    },
  });
  const wire = await startWire(server.port);
  const client = new NodeDiscoveryServiceClient(wire.address, credentials.createInsecure());
  onTestFinished(() => client.close());
  const stream = client.watchNodes(request);
  stream.on('error', () => {});
  await once(stream, 'data');
  wire.freeze();
  expect(await aborted.promise).toMatchObject({ name: 'RpcError', code: status.CANCELLED });
});

test('a taken port is told in a sentence', async () => {
  const { server } = await startRig();
  const failed = startServer({ listen: server.address, services: [], log });
  await expect(failed).rejects.toThrow(ListenError);
  await expect(failed).rejects.toThrow(
    `cannot listen on ${server.address}: another program listens there already`,
  );
});

test('a host name is listened on at each of its addresses, on one port', async () => {
  const { server } = await startRig({ listen: 'localhost:0', agent: { identify: unary(log, answered) } });
  const insecure = credentials.createInsecure();
  for (const ip of await systemLookup('localhost')) {
    const client = new NodeAgentServiceClient(ipTarget(formatHostPort(ip, server.port)), insecure);
    onTestFinished(() => client.close());
    expect(await identify(client)).toMatchObject({ identity: 'node1' });
  }
});

test.each([
  ['192.0.2.1:0', ListenError, 'cannot listen on 192.0.2.1:0: it is no address of this machine'],
  ['localhost', AddressError, '"localhost" has no port: write host:port'],
])('an address to listen on that cannot be, %s, is told in a sentence', async (listen, kind, message) => {
  const failed = startServer({ listen, services: [], log });
  await expect(failed).rejects.toThrow(kind);
  await expect(failed).rejects.toThrow(message);
});

test('a message over the limit is refused, and the connection lives on', async () => {
  const { agent } = await startRig({
    agent: {
      configure: unary(log, ({ configurationJson }) => ({
        message: `${configurationJson.length}`,
        configurationDigest: Buffer.alloc(0),
      })),
      identify: unary(log, answered),
    },
  });
  const configure = (bytes: number) =>
    callUnary(
      agent.configure.bind(agent),
      ConfigureRequest.fromPartial({ configurationJson: 'x'.repeat(bytes) }),
      {
        timeoutMs: 10_000,
      },
    );
  expect(await configure(4_000_000)).toMatchObject({ message: '4000000' });
  await expect(configure(5_000_000)).rejects.toMatchObject({ code: status.RESOURCE_EXHAUSTED });
  expect(await identify(agent)).toMatchObject({ identity: 'node1' });
});

test('the limit can be raised', async () => {
  const { agent } = await startRig({
    options: { 'grpc.max_receive_message_length': 16 << 20 },
    agent: { configure: unary(log, () => ({ message: 'done', configurationDigest: Buffer.alloc(0) })) },
  });
  const large = ConfigureRequest.fromPartial({ configurationJson: 'x'.repeat(15_000_000) });
  expect(await callUnary(agent.configure.bind(agent), large, { timeoutMs: 10_000 })).toMatchObject({
    message: 'done',
  });
});

test.each([
  ['junk', Buffer.alloc(100_000, 0xff)],
  ['HTTP/1.1', Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')],
  [
    'a preface and then junk',
    Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), Buffer.alloc(1000, 7)]),
  ],
])('%s on the port harms nobody', async (_what, bytes) => {
  const { server, agent } = await startRig({ agent: { identify: unary(log, answered) } });
  const socket = connect(server.port, '127.0.0.1');
  socket.on('error', () => {});
  socket.resume();
  socket.write(bytes);
  await once(socket, 'close');
  expect(await identify(agent)).toMatchObject({ identity: 'node1' });
});

interface Wire {
  readonly address: string;
  /** From now on nothing goes either way, and nobody is told. */
  freeze(): void;
}

/** A wire between a client and a server that can go dead. */
async function startWire(port: number): Promise<Wire> {
  const sockets: Socket[] = [];
  const wire = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    for (const socket of [near, far]) {
      socket.on('error', () => {});
      sockets.push(socket);
    }
    near.pipe(far).pipe(near);
  });
  wire.listen(0, '127.0.0.1');
  await once(wire, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    wire.close();
  });
  const bound = wire.address();
  if (bound === null || typeof bound === 'string') throw new Error('the wire has no port');
  return {
    address: `127.0.0.1:${bound.port}`,
    freeze: () => {
      for (const socket of sockets) socket.unpipe().pause();
    },
  };
}
