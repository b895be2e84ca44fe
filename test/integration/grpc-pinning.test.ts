// What the credentials for nodes promise of TLS: a node is known by its certificate's hash, nothing is sent to
// another one, and a peer that stalls costs no socket.

import { connect } from 'node:net';
import { type ChannelCredentials, status } from '@grpc/grpc-js';
import { expect, onTestFinished, test } from 'vitest';
import { IdentifyResponse, NodeAgentServiceClient } from '../../shared/gen/slipway/node/v1/node.js';
import { callUnary } from '../../shared/grpc/call.js';
import { ipTarget, nodeChannelOptions } from '../../shared/grpc/channel.js';
import {
  insecureNodeCredentials,
  learningNodeCredentials,
  pinMismatch,
  pinnedNodeCredentials,
} from '../../shared/grpc/credentials.js';
import { unary } from '../../shared/grpc/handler.js';
import { silentLogger } from '../../shared/logger.js';
import { fixedServerCredentials } from '../../shared/tls/server-credentials.js';
import { dayMs, makeCertificate, type TestCertificate } from '../fakes/certificates.js';
import { startRig } from './grpc-support.js';
import { startPeer, startTls } from './peers.js';

const lastYear = {
  notBefore: new Date(Date.now() - 400 * dayMs),
  notAfter: new Date(Date.now() - 35 * dayMs),
};

const kinds = [
  ['P-256', { key: 'P-256' }],
  ['ed25519', { key: 'ED25519' }],
  ['RSA', { key: 'RSA' }],
  ['expired', lastYear],
  ['for clients only', { usages: ['clientAuth'] }],
  ['for another name', { dns: ['elsewhere.example.net'] }],
] as const;

function identify(address: string, credentials: ChannelCredentials, timeoutMs = 10_000) {
  const client = new NodeAgentServiceClient(ipTarget(address), credentials, nodeChannelOptions);
  onTestFinished(() => client.close());
  return { client, reply: callUnary(client.identify.bind(client), {}, { timeoutMs }) };
}

/** A node that answers Identify, and counts how often it was asked. */
async function startNode(certificate: TestCertificate) {
  let asked = 0;
  const { server } = await startRig({
    agent: {
      identify: unary(silentLogger(), () => {
        asked++;
        return IdentifyResponse.fromPartial({ identity: 'n1' });
      }),
    },
    credentials: fixedServerCredentials(certificate.certificatePem, certificate.keyPem),
  });
  return { address: server.address, asked: () => asked };
}

test.each(kinds)('the pinned certificate is accepted: %s', async (_kind, wish) => {
  const certificate = await makeCertificate(wish);
  const node = await startNode(certificate);
  const { reply } = identify(node.address, pinnedNodeCredentials(certificate.sha256));
  expect((await reply).identity).toBe('n1');
});

test.each(kinds)(
  'another certificate is told in words, and nothing is sent to it: %s',
  async (_kind, wish) => {
    const node = await startNode(await makeCertificate(wish));
    const { sha256 } = await makeCertificate(wish);
    const { reply } = identify(node.address, pinnedNodeCredentials(sha256));
    await expect(reply).rejects.toMatchObject({
      code: status.UNAVAILABLE,
      message: expect.stringContaining(pinMismatch),
      neverConnected: true,
    });
    expect(node.asked()).toBe(0);
  },
);

test('what is sent to another certificate is nothing at all', async () => {
  const { certificatePem, keyPem } = await makeCertificate();
  const { address, received } = await startTls({ cert: certificatePem, key: keyPem, ALPNProtocols: ['h2'] });
  const { client, reply } = identify(address, pinnedNodeCredentials('00'.repeat(32)));
  await expect(reply).rejects.toMatchObject({ message: expect.stringContaining(pinMismatch) });
  client.close();
  expect(received).toEqual([]);
});

test('the certificate of a first contact is learned before anything is sent', async () => {
  const certificate = await makeCertificate();
  const node = await startNode(certificate);
  const learned: string[] = [];
  const credentials = learningNodeCredentials((hash) => {
    expect(node.asked()).toBe(0);
    learned.push(hash);
  });
  await identify(node.address, credentials).reply;
  expect(learned).toEqual([certificate.sha256]);
});

test('what a first contact has learned is pinned from then on', async () => {
  const first = await startNode(await makeCertificate());
  const second = await startNode(await makeCertificate());
  const credentials = learningNodeCredentials(() => {});
  await identify(first.address, credentials).reply;
  const { reply } = identify(second.address, credentials);
  await expect(reply).rejects.toMatchObject({ message: expect.stringContaining(pinMismatch) });
});

test('a peer without TLS is not spoken to', async () => {
  let asked = 0;
  const { server } = await startRig({
    agent: {
      identify: unary(silentLogger(), () => {
        asked++;
        return IdentifyResponse.fromPartial({});
      }),
    },
  });
  const { reply } = identify(server.address, pinnedNodeCredentials('00'.repeat(32)));
  await expect(reply).rejects.toMatchObject({ code: status.UNAVAILABLE, neverConnected: true });
  expect(asked).toBe(0);
});

test('a peer with TLS is not spoken to in plain text', async () => {
  const node = await startNode(await makeCertificate());
  const { reply } = identify(node.address, insecureNodeCredentials());
  await expect(reply).rejects.toMatchObject({ code: status.UNAVAILABLE, neverConnected: true });
});

test('TLS 1.2 is refused on both sides', async () => {
  const { certificatePem, keyPem, sha256 } = await makeCertificate();
  const { address } = await startTls({
    cert: certificatePem,
    key: keyPem,
    ALPNProtocols: ['h2'],
    maxVersion: 'TLSv1.2',
  });
  const { reply } = identify(address, pinnedNodeCredentials(sha256));
  await expect(reply).rejects.toMatchObject({ code: status.UNAVAILABLE, neverConnected: true });
});

test('a peer that speaks no HTTP/2 over TLS is refused', async () => {
  const { certificatePem, keyPem, sha256 } = await makeCertificate();
  const { address } = await startTls({ cert: certificatePem, key: keyPem });
  const { reply } = identify(address, pinnedNodeCredentials(sha256));
  await expect(reply).rejects.toMatchObject({ message: expect.stringContaining('does not speak HTTP/2') });
});

test('a refused connection is told at once, as one that never was', async () => {
  const { server } = await startRig();
  await server.stop(0);
  const { reply } = identify(server.address, pinnedNodeCredentials('00'.repeat(32)));
  await expect(reply).rejects.toMatchObject({
    code: status.UNAVAILABLE,
    message: expect.stringContaining('ECONNREFUSED'),
    neverConnected: true,
  });
});

test('peers that accept and say nothing cost the time of a handshake and no socket', async () => {
  const { address, sockets, allClosed } = await startPeer((socket) => socket.resume());
  const credentials = pinnedNodeCredentials('00'.repeat(32), { handshakeMs: 100 });
  const calls = Array.from({ length: 20 }, () => identify(address, credentials));
  for (const { reply } of calls) {
    await expect(reply).rejects.toMatchObject({
      code: status.UNAVAILABLE,
      message: expect.stringContaining('no TLS handshake within 100 ms'),
      neverConnected: true,
    });
  }
  expect(sockets).toHaveLength(20);
  await allClosed();
});

test('a channel that is closed during a handshake leaves no socket', async () => {
  const { address, sockets, connected, allClosed } = await startPeer((socket) => socket.resume());
  const credentials = pinnedNodeCredentials('00'.repeat(32), { handshakeMs: 600_000 });
  const { client, reply } = identify(address, credentials, 200);
  await Promise.all([
    connected,
    expect(reply).rejects.toMatchObject({ code: status.DEADLINE_EXCEEDED, neverConnected: true }),
  ]);
  client.close();
  expect(sockets).toHaveLength(1);
  await allClosed();
});

test.each([
  ['in the middle of its handshake', 700],
  ['after the handshake, before HTTP/2', 1400],
])('a peer that stalls %s costs no socket once the channel is closed', async (_when, bytes) => {
  const certificate = await makeCertificate();
  const { certificatePem, keyPem, sha256 } = certificate;
  const { address: behind } = await startTls({ cert: certificatePem, key: keyPem, ALPNProtocols: ['h2'] });
  const { address, allClosed } = await startPeer((near) => {
    const far = connect(Number(behind.split(':')[1]), '127.0.0.1');
    near.pipe(far);
    near.on('close', () => far.destroy());
    let passed = 0;
    far.on('data', (chunk) => {
      near.write(chunk.subarray(0, Math.max(bytes - passed, 0)));
      passed += chunk.length;
    });
  });
  const credentials = pinnedNodeCredentials(sha256, { handshakeMs: 600_000 });
  const { client, reply } = identify(address, credentials, 300);
  await expect(reply).rejects.toMatchObject({ code: status.DEADLINE_EXCEEDED, neverConnected: true });
  client.close();
  await allClosed();
});

test('a channel that is closed after a call leaves no socket', async () => {
  const certificate = await makeCertificate();
  const node = await startNode(certificate);
  const { address, sockets, allClosed } = await startPeer((near) => {
    const far = connect(Number(node.address.split(':')[1]), '127.0.0.1');
    near.pipe(far).pipe(near);
  });
  const { client, reply } = identify(address, pinnedNodeCredentials(certificate.sha256));
  await reply;
  expect(sockets).toHaveLength(1);
  client.close();
  await allClosed();
});
