// Handlers over a real connection: what they throw, when they are told to stop, and how they keep up with a
// slow reader.

import { once } from 'node:events';
import { connect } from 'node:http2';
import { type ClientReadableStream, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { expect, onTestFinished, test } from 'vitest';
import {
  NodeDiscoveryServiceService,
  WatchNodesRequest,
  type WatchNodesResponse,
} from '../../shared/gen/slipway/discovery/v1/discovery.js';
import { IdentifyResponse, type NodeAgentServiceClient } from '../../shared/gen/slipway/node/v1/node.js';
import { callUnary } from '../../shared/grpc/call.js';
import { fromServiceError, RpcError } from '../../shared/grpc/errors.js';
import { type CallContext, serverStream, unary } from '../../shared/grpc/handler.js';
import { loggerTo, silentLogger } from '../../shared/logger.js';
import { deferred, numbered, numberOf, standsStill, startRig } from './grpc-support.js';

const log = silentLogger();
const request = WatchNodesRequest.fromPartial({});

function identify(agent: NodeAgentServiceClient, metadata = new Metadata()): Promise<IdentifyResponse> {
  return callUnary(agent.identify.bind(agent), {}, { timeoutMs: 5000, metadata });
}

/** What a stream brought, in the end. */
function readAll(stream: ClientReadableStream<WatchNodesResponse>): Promise<{
  readonly numbers: readonly number[];
  readonly error: RpcError | undefined;
}> {
  const numbers: number[] = [];
  return new Promise((resolve) => {
    stream.on('data', (response: WatchNodesResponse) => numbers.push(numberOf(response)));
    stream.on('end', () => resolve({ numbers, error: undefined }));
    stream.on('error', (error: ServiceError) => resolve({ numbers, error: fromServiceError(error) }));
  });
}

test('a handler answers with what it returns, and knows who called', async () => {
  const seen = deferred<CallContext>();
  const { agent, server } = await startRig({
    agent: {
      identify: unary(log, async (_request, context) => {
        seen.resolve(context);
        return IdentifyResponse.fromPartial({ identity: 'node1' });
      }),
    },
  });
  const metadata = new Metadata();
  metadata.set('slipway-site', 'blue');
  expect(await identify(agent, metadata)).toMatchObject({ identity: 'node1' });
  const context = await seen.promise;
  expect(context.peer).toMatch(/^127\.0\.0\.1:\d+$/);
  expect(context.peerHost).toBe('127.0.0.1');
  expect(context.authority).toBe(server.address);
  expect(context.metadata.get('slipway-site')).toEqual(['blue']);
});

test('a peer that comes over IPv6 as IPv4 is known by its IPv4 address', async () => {
  const seen = deferred<CallContext>();
  const { agent } = await startRig({
    listen: '[::ffff:127.0.0.1]:0',
    agent: {
      identify: unary(log, (_request, context) => {
        seen.resolve(context);
        return IdentifyResponse.fromPartial({});
      }),
    },
  });
  await identify(agent);
  expect(await seen.promise).toMatchObject({
    peer: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
    peerHost: '127.0.0.1',
  });
});

test('a signal is not aborted by a call that went well', async () => {
  const contexts: CallContext[] = [];
  const { agent } = await startRig({
    agent: {
      identify: unary(log, (_request, context) => {
        contexts.push(context);
        return IdentifyResponse.fromPartial({});
      }),
    },
  });
  await identify(agent);
  await identify(agent);
  expect(contexts.map(({ signal }) => signal.aborted)).toEqual([false, false]);
});

test('an RpcError reaches the caller with all that it says', async () => {
  const { agent } = await startRig({
    agent: {
      identify: unary(log, () => {
        throw new RpcError(status.ABORTED, 'another site holds the node', {
          reason: 'LOCKED',
          retryAfterMs: 1500,
          metadata: { site: 'blue' },
        });
      }),
    },
  });
  await expect(identify(agent)).rejects.toMatchObject({
    code: status.ABORTED,
    message: 'another site holds the node',
    reason: 'LOCKED',
    retryAfterMs: 1500,
    metadata: { site: 'blue' },
    neverConnected: false,
  });
});

test('an error with more to say than fits does not break the connection', async () => {
  const { agent } = await startRig({
    agent: {
      identify: unary(log, () => {
        const description = '\ud800'.repeat(200_000);
        const violations = Array.from({ length: 100 }, () => ({ field: description, description }));
        throw new RpcError(status.INVALID_ARGUMENT, description, { reason: 'ARGUMENT_INVALID', violations });
      }),
    },
  });
  for (let time = 0; time < 2; time++) {
    await expect(identify(agent)).rejects.toMatchObject({
      code: status.INVALID_ARGUMENT,
      reason: 'ARGUMENT_INVALID',
    });
  }
});

test.each([
  ['rejects with', () => Promise.reject(new Error('ENOENT: /etc/slipway/secret'))],
  [
    'throws',
    () => {
      throw new TypeError('undefined is not a function');
    },
  ],
])('a handler that %s what nobody planned shows no more than that, and logs it', async (_what, handle) => {
  const lines: string[] = [];
  const destination = { write: (line: string) => lines.push(line) };
  const logger = loggerTo(destination, { service: 'test', site: 'test', level: 'info' });
  const { agent } = await startRig({ agent: { identify: unary(logger, handle) } });
  await expect(identify(agent)).rejects.toMatchObject({
    code: status.INTERNAL,
    message: 'internal error',
    metadata: {},
  });
  expect(lines.join('')).toMatch(/handler failed/);
  expect(lines.join('')).toMatch(/"rpc":"\/slipway.node.v1.NodeAgentService\/Identify"/);
  expect(lines.join('')).toMatch(/grpc-handler\.test\.ts/);
});

test.each([
  ['cancels', (controller: AbortController) => controller.abort(new Error('not needed any more')), 60_000],
  ['gives up at its deadline', () => {}, 150],
])('a handler is told when the caller %s', async (_what, act, timeoutMs) => {
  const started = deferred();
  const reason = deferred<unknown>();
  const { agent } = await startRig({
    agent: {
      identify: unary(log, async (_request, { signal }) => {
        signal.addEventListener('abort', () => reason.resolve(signal.reason));
        started.resolve();
        await reason.promise;
        throw signal.reason;
      }),
    },
  });
  const controller = new AbortController();
  const call = callUnary(agent.identify.bind(agent), {}, { timeoutMs, signal: controller.signal });
  const failed = expect(call).rejects.toThrow();
  await started.promise;
  act(controller);
  await failed;
  expect(await reason.promise).toMatchObject({ name: 'RpcError', code: status.CANCELLED });
});

test('an RPC that is not served says so, unary or stream', async () => {
  const { agent, discovery } = await startRig();
  await expect(identify(agent)).rejects.toMatchObject({
    code: status.UNIMPLEMENTED,
    message: 'Identify is not served by this version',
  });
  const { error } = await readAll(discovery.watchNodes(request));
  expect(error).toMatchObject({
    code: status.UNIMPLEMENTED,
    message: 'WatchNodes is not served by this version',
  });
});

test('a stream brings every message in order and ends well', async () => {
  const { discovery } = await startRig({
    discovery: {
      watchNodes: serverStream(log, async (_request, _context, write) => {
        for (let number = 0; number < 5000; number++) await write(numbered(number));
      }),
    },
  });
  const { numbers, error } = await readAll(discovery.watchNodes(request));
  expect(error).toBeUndefined();
  expect(numbers).toEqual(Array.from({ length: 5000 }, (_, index) => index));
});

test('a stream that fails brings what was written and then the error', async () => {
  const { discovery } = await startRig({
    discovery: {
      watchNodes: serverStream(log, async (_request, _context, write) => {
        for (let number = 0; number < 100; number++) await write(numbered(number));
        throw new RpcError(status.OUT_OF_RANGE, 'overtaken', { reason: 'OVERTAKEN' });
      }),
    },
  });
  const { numbers, error } = await readAll(discovery.watchNodes(request));
  expect(numbers).toHaveLength(100);
  expect(error).toMatchObject({ code: status.OUT_OF_RANGE, message: 'overtaken', reason: 'OVERTAKEN' });
});

test('a reader that stands still makes the writer wait, and gets everything once it reads on', async () => {
  const total = 4000;
  let written = 0;
  const { discovery, agent } = await startRig({
    agent: { identify: unary(log, () => IdentifyResponse.fromPartial({})) },
    discovery: {
      watchNodes: serverStream(log, async (_request, _context, write) => {
        for (; written < total; written++) await write(numbered(written, 1000));
      }),
    },
  });
  const stream = discovery.watchNodes(request);
  const first = deferred();
  const ended = deferred();
  const numbers: number[] = [];
  stream.on('end', ended.resolve);
  stream.on('data', (response: WatchNodesResponse) => {
    numbers.push(numberOf(response));
    if (numbers.length > 1) return;
    stream.pause();
    first.resolve();
  });
  await first.promise;
  await standsStill(
    () => written,
    () => identify(agent),
  );
  expect(written).toBeLessThan(1000);
  stream.resume();
  await ended.promise;
  expect(numbers).toHaveLength(total);
});

test.each([
  [true, 15],
  [false, 0],
])(
  'where a reader takes nothing, writing ahead %j lets %i large messages wait behind one',
  async (ahead, waiting) => {
    let written = 0;
    const { server, agent } = await startRig({
      agent: { identify: unary(log, () => IdentifyResponse.fromPartial({})) },
      discovery: {
        watchNodes: serverStream(
          log,
          async (_request, _context, write) => {
            for (; ; written++) await write(numbered(written, 1 << 18));
          },
          { ahead },
        ),
      },
    });
    // grpc-js would read some by itself.
    const session = connect(`http://${server.address}`);
    onTestFinished(() => session.destroy());
    const stream = session.request({
      ':method': 'POST',
      ':path': NodeDiscoveryServiceService.watchNodes.path,
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    stream.on('error', () => {});
    const emptyMessage = Buffer.alloc(5);
    stream.end(emptyMessage);
    await once(stream, 'response');
    await standsStill(
      () => written,
      () => identify(agent),
    );
    expect(written).toBe(waiting);
  },
);

test('a writer that waits for a reader is told when the reader goes away', async () => {
  const rejected = deferred<unknown>();
  const { discovery } = await startRig({
    discovery: {
      watchNodes: serverStream(log, async (_request, _context, write) => {
        try {
          for (let number = 0; ; number++) await write(numbered(number, 1000));
        } catch (error) {
          rejected.resolve(error);
          throw error;
        }
      }),
    },
  });
  const stream = discovery.watchNodes(request);
  stream.on('error', () => {});
  await new Promise((resolve) => stream.once('readable', resolve));
  stream.cancel();
  expect(await rejected.promise).toMatchObject({ name: 'RpcError', code: status.CANCELLED });
});
