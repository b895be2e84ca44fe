// What a server with TLS does with peers that stall, speak something else, or would rather not be verified again.

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Writable } from 'node:stream';
import { connect as connectTls, createSecureContext, type TLSSocket } from 'node:tls';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../shared/clock.js';
import {
  IdentifyResponse,
  NodeAgentServiceClient,
  NodeAgentServiceService,
} from '../../shared/gen/slipway/node/v1/node.js';
import { callUnary } from '../../shared/grpc/call.js';
import { ipTarget, nodeChannelOptions, serviceChannelOptions } from '../../shared/grpc/channel.js';
import { pinnedNodeCredentials } from '../../shared/grpc/credentials.js';
import { unary } from '../../shared/grpc/handler.js';
import { type RunningServer, type StartServerOptions, startServer } from '../../shared/grpc/server.js';
import { loggerTo, silentLogger } from '../../shared/logger.js';
import { certificateAuthenticator } from '../../shared/tls/certificate-authenticator.js';
import { defaultRolePatterns } from '../../shared/tls/roles.js';
import { fixedServerCredentials, mutualServerCredentials } from '../../shared/tls/server-credentials.js';
import { makeCertificate, type TestCertificate } from '../fakes/certificates.js';
import { deferred, open, startRig } from './grpc-support.js';
import { ofService, TestSite } from './tls-support.js';

let certificate: TestCertificate;

beforeAll(async () => {
  certificate = await makeCertificate();
});

async function serve(options: Partial<StartServerOptions> = {}): Promise<RunningServer> {
  const { certificatePem, keyPem } = certificate;
  const server = await startServer({
    listen: '127.0.0.1:0',
    log: silentLogger(),
    services: [
      open(NodeAgentServiceService, {
        identify: unary(silentLogger(), () => IdentifyResponse.fromPartial({ identity: 'n1' })),
      }),
    ],
    reflection: false,
    credentials: fixedServerCredentials(certificatePem, keyPem),
    ...options,
  });
  onTestFinished(() => server.stop(0));
  return server;
}

async function identify({ address }: Pick<RunningServer, 'address'>): Promise<string> {
  const credentials = pinnedNodeCredentials(certificate.sha256);
  const client = new NodeAgentServiceClient(ipTarget(address), credentials, nodeChannelOptions);
  try {
    return (await callUnary(client.identify.bind(client), {}, { timeoutMs: 10_000 })).identity;
  } finally {
    client.close();
  }
}

/** A peer that connects, sends some bytes, and then says nothing. */
async function stall({ port }: RunningServer, bytes = Buffer.of()): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  socket.write(bytes);
  socket.resume();
  return socket;
}

function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once('close', () => resolve()));
}

/** The first bytes of a TLS handshake: a record of 512 bytes is announced, and no more of it comes. */
const halfHello = Buffer.from('160301020001', 'hex');

test('a peer that stalls its handshake is closed', async () => {
  const { certificatePem, keyPem } = certificate;
  const server = await serve({ credentials: fixedServerCredentials(certificatePem, keyPem, 100) });
  const stalled = await Promise.all([stall(server), stall(server, halfHello)]);
  await Promise.all(stalled.map(closed));
});

test('peers that stall their handshakes keep nobody waiting at the gate for long', async () => {
  const server = await serve({
    gate: { atOnce: { fewest: 2, most: 2 }, sourceOf: () => 'all', turnedAway: () => {} },
  });
  await Promise.all([stall(server), stall(server, halfHello)]);
  expect(await identify(server)).toBe('n1');
});

test('peers without a certificate hold a few hundred connections, whatever they open, and callers with one keep theirs', async () => {
  const site = await TestSite.create();
  const { files } = await site.hold(ofService('discovery'));
  const server = await serve({
    credentials: mutualServerCredentials(files),
    authenticator: certificateAuthenticator(defaultRolePatterns, systemClock),
  });
  const known = new NodeAgentServiceClient(
    server.address,
    await site.client(ofService('operator')),
    serviceChannelOptions,
  );
  onTestFinished(() => known.close());
  const call = () => callUnary(known.identify.bind(known), {}, { timeoutMs: 20_000 });
  await call();
  const channel = known.getChannel().getConnectivityState(false);
  const strangers: Socket[] = [];
  for (let count = 0; count < 300; count++) strangers.push(await stall(server, halfHello));
  await expect.poll(() => strangers.filter((socket) => socket.closed).length).toBe(300 - 256);
  expect(strangers.slice(0, 300 - 256).every((socket) => socket.closed)).toBe(true);
  expect(known.getChannel().getConnectivityState(false)).toBe(channel);
  expect((await call()).identity).toBe('n1');
  const newcomer = new NodeAgentServiceClient(
    server.address,
    await site.client(ofService('operator')),
    serviceChannelOptions,
  );
  onTestFinished(() => newcomer.close());
  expect((await callUnary(newcomer.identify.bind(newcomer), {}, { timeoutMs: 20_000 })).identity).toBe('n1');
});

test('where nobody is to show a certificate, those who stay make room as well', async () => {
  const { address, port } = await serve({ mostStrangers: 3 });
  const watching: TLSSocket[] = [];
  // One after the other: who came first is what decides.
  for (let count = 0; count < 5; count++) {
    const socket = connectTls({ port, rejectUnauthorized: false, ALPNProtocols: ['h2'] });
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => {}).resume();
    await once(socket, 'secureConnect');
    watching.push(socket);
  }
  await expect.poll(() => watching.map(({ closed }) => closed)).toEqual([true, true, false, false, false]);
  expect(await identify({ address })).toBe('n1');
});

test('a stop closes what is in a handshake', async () => {
  const server = await serve();
  const stalled = await Promise.all([stall(server), stall(server, halfHello)]);
  const allClosed = Promise.all(stalled.map(closed));
  await server.stop(0);
  await allClosed;
});

test('a stop lets calls in hand finish, and does not wait for clients that stay connected', async () => {
  const entered = deferred();
  const answer = deferred();
  const { certificatePem, keyPem, sha256 } = certificate;
  const { server } = await startRig({
    agent: {
      identify: unary(silentLogger(), async () => {
        entered.resolve();
        await answer.promise;
        return IdentifyResponse.fromPartial({ identity: 'n1' });
      }),
    },
    credentials: fixedServerCredentials(certificatePem, keyPem),
  });
  const client = new NodeAgentServiceClient(
    ipTarget(server.address),
    pinnedNodeCredentials(sha256),
    nodeChannelOptions,
  );
  onTestFinished(() => client.close());
  const reply = callUnary(client.identify.bind(client), {}, { timeoutMs: 20_000 });
  await entered.promise;
  const stopped = server.stop(600_000);
  answer.resolve();
  expect((await reply).identity).toBe('n1');
  await stopped;
});

test('peers that speak something else harm nobody, and are not worth a line in the log', async () => {
  const lines: string[] = [];
  const sink = new Writable({
    write: (line, _encoding, done) => {
      lines.push(String(line));
      done();
    },
  });
  const log = loggerTo(sink, { service: 'test', site: 'test', level: 'info' });
  const server = await serve({ log });
  const junk = [
    'GET / HTTP/1.1\r\nHost: a\r\n\r\n',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    Buffer.alloc(4096, 7).toString('latin1'),
    `${halfHello.toString('latin1')}${'x'.repeat(600)}`,
  ];
  await Promise.all(junk.map(async (text) => closed(await stall(server, Buffer.from(text, 'latin1')))));
  await Promise.all(
    [{ maxVersion: 'TLSv1.2' as const, ALPNProtocols: ['h2'] }, { ALPNProtocols: ['http/1.1'] }].map(
      async (options) => {
        const socket = connectTls({ port: server.port, rejectUnauthorized: false, ...options });
        socket.on('error', () => {});
        socket.resume();
        await closed(socket);
      },
    ),
  );
  expect(await identify(server)).toBe('n1');
  expect(lines.filter((line) => !line.includes('listening'))).toEqual([]);
});

test('a client of TLS 1.2 is refused', async () => {
  const server = await serve();
  const options = { port: server.port, rejectUnauthorized: false, ALPNProtocols: ['h2'] };
  const socket = connectTls({ ...options, maxVersion: 'TLSv1.2' });
  onTestFinished(() => void socket.destroy());
  const [error] = await once(socket, 'error');
  expect(error).toMatchObject({ code: expect.stringMatching(/PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL/) });
  const modern = connectTls(options);
  onTestFinished(() => void modern.destroy());
  await once(modern, 'secureConnect');
  expect(modern.getProtocol()).toBe('TLSv1.3');
});

test('no session is resumed: every connection is verified anew', async () => {
  const site = await TestSite.create();
  const { files } = await site.hold(ofService('discovery'));
  const server = await serve({ credentials: mutualServerCredentials(files) });
  const client = await site.issue(ofService('provisioner'));
  const sessions: Buffer[] = [];
  const dial = async (session?: Buffer): Promise<TLSSocket> => {
    const socket = connectTls({
      port: server.port,
      secureContext: createSecureContext({
        cert: client.certificatePem,
        key: client.keyPem,
        ca: site.ca.certificatePem,
      }),
      checkServerIdentity: () => undefined,
      ALPNProtocols: ['h2'],
      ...(session && { session }),
    });
    onTestFinished(() => void socket.destroy());
    socket.on('session', (bytes) => sessions.push(bytes));
    await once(socket, 'secureConnect');
    // What the server sends first of HTTP/2 comes after the tickets.
    await once(socket, 'data');
    return socket;
  };
  await dial();
  for (const session of [...sessions]) expect((await dial(session)).isSessionReused()).toBe(false);
});

test('nothing that is asked of a server with TLS goes unencrypted', async () => {
  const server = await serve();
  const socket = await stall(server, Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'));
  await closed(socket);
  expect(socket.bytesRead).toBeLessThan(32);
});

test('credentials that cannot be used are told at the start, and not by the first connection', async () => {
  const other = await makeCertificate();
  const credentials = fixedServerCredentials(certificate.certificatePem, other.keyPem);
  await expect(serve({ credentials })).rejects.toThrow(/key values mismatch/);
});
