// Clients of services verify whom they dial before they send anything: consumers and operators by role or name,
// nodes by the CA that their token or a file names.

import { X509Certificate } from 'node:crypto';
import { type ChannelCredentials, type ServerCredentials, status } from '@grpc/grpc-js';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { IdentifyResponse, NodeAgentServiceClient } from '../../shared/gen/slipway/node/v1/node.js';
import { callUnary } from '../../shared/grpc/call.js';
import { serviceChannelOptions } from '../../shared/grpc/channel.js';
import { unary } from '../../shared/grpc/handler.js';
import { silentLogger } from '../../shared/logger.js';
import {
  type RegistryAnchor,
  registryCredentials,
  serviceCredentials,
} from '../../shared/tls/channel-credentials.js';
import { anchoredServerCredentials, mutualServerCredentials } from '../../shared/tls/server-credentials.js';
import { type CertificateWish, dayMs, makeAuthority, makeCertificate } from '../fakes/certificates.js';
import { startRig } from './grpc-support.js';
import { startPeer, startTls } from './peers.js';
import { hold, ofService, TestSite } from './tls-support.js';

let site: TestSite;

beforeAll(async () => {
  site = await TestSite.create();
});

/** Any service; it counts how often it was asked. */
async function serve(credentials: ServerCredentials) {
  let asked = 0;
  const { server } = await startRig({
    agent: {
      identify: unary(silentLogger(), () => {
        asked++;
        return IdentifyResponse.fromPartial({ identity: 'it' });
      }),
    },
    credentials,
  });
  return { port: server.port, asked: () => asked };
}

function call(target: string, credentials: ChannelCredentials, timeoutMs = 10_000) {
  const client = new NodeAgentServiceClient(target, credentials, serviceChannelOptions);
  onTestFinished(() => client.close());
  return callUnary(client.identify.bind(client), {}, { timeoutMs });
}

const refusedFor = (message: RegExp) => ({
  code: status.UNAVAILABLE,
  message: expect.stringMatching(message),
  neverConnected: true,
});

const past = { notBefore: new Date(Date.now() - 60 * dayMs), notAfter: new Date(Date.now() - 10 * dayMs) };

describe('a client with a certificate of the site', () => {
  const asProvisioner = () => site.client(ofService('provisioner'));

  test.each<[string, CertificateWish, string]>([
    ['by its role', { uris: ['slipway:role:discovery'] }, '127.0.0.1'],
    ['by the name that is dialled', { dns: ['localhost'] }, 'localhost'],
    ['by the address that is dialled', { ips: ['127.0.0.1'] }, '127.0.0.1'],
    [
      'by its role, whatever its name',
      { uris: ['slipway:role:discovery'], dns: ['x.example.net'] },
      'localhost',
    ],
  ])('knows the service %s', async (_how, wish, host) => {
    const service = await site.hold({ usages: ['serverAuth'], ...wish });
    const { port } = await serve(mutualServerCredentials(service.files));
    expect((await call(`${host}:${port}`, await asProvisioner())).identity).toBe('it');
  });

  test.each<[string, CertificateWish, RegExp]>([
    [
      'another role and name',
      { uris: ['slipway:role:viewer'], dns: ['d.example.net'] },
      /neither the URI slipway:role:discovery nor the name localhost/,
    ],
    ['its name in the subject alone', { name: 'localhost' }, /neither the URI/],
    [
      'its role in the subject, or as a name',
      { name: 'slipway:role:discovery', dns: ['slipway:role:discovery'] },
      /neither the URI/,
    ],
    [
      'a certificate for clients',
      { ...ofService('discovery'), usages: ['clientAuth'] },
      /unsuitable certificate purpose|unsupported certificate purpose/,
    ],
  ])('sends nothing to one with %s', async (_what, wish, message) => {
    const service = await site.hold(wish);
    const { port, asked } = await serve(mutualServerCredentials(service.files));
    await expect(call(`localhost:${port}`, await asProvisioner())).rejects.toMatchObject(refusedFor(message));
    expect(asked()).toBe(0);
  });

  test('sends nothing to a service of another CA, also of one with the same name', async () => {
    for (const name of ['site CA', 'another CA']) {
      const ca = await makeAuthority({ name });
      const service = await hold(await makeCertificate({ issuer: ca, ...ofService('discovery') }), [ca]);
      const { port, asked } = await serve(mutualServerCredentials(service.files));
      const reply = call(`localhost:${port}`, await asProvisioner());
      await expect(reply).rejects.toMatchObject(refusedFor(/TLS: |certificate/));
      expect(asked()).toBe(0);
    }
  });

  test('sends nothing to a service whose certificate has expired', async () => {
    const { certificatePem, keyPem } = await site.issue({ ...ofService('discovery'), ...past });
    const { address, received } = await startTls({
      cert: certificatePem,
      key: keyPem,
      ALPNProtocols: ['h2'],
    });
    await expect(call(address, await asProvisioner())).rejects.toMatchObject(
      refusedFor(/certificate has expired/),
    );
    expect(received).toEqual([]);
  });

  test('refuses TLS 1.2, plain text and silence', async () => {
    const { certificatePem, keyPem } = await site.issue(ofService('discovery'));
    const old = await startTls({
      cert: certificatePem,
      key: keyPem,
      ALPNProtocols: ['h2'],
      maxVersion: 'TLSv1.2',
    });
    await expect(call(old.address, await asProvisioner())).rejects.toMatchObject(refusedFor(/TLS: /));
    const { server } = await startRig();
    await expect(call(server.address, await asProvisioner())).rejects.toMatchObject({ neverConnected: true });
    const { address } = await startPeer(() => {});
    const silent = call(address, await asProvisioner(), 200);
    await expect(silent).rejects.toMatchObject({ code: status.DEADLINE_EXCEEDED, neverConnected: true });
  });

  test('trusts a CA that is not a root where the site says so', async () => {
    const between = await makeAuthority({ name: 'between', issuer: site.ca });
    const service = await hold(await makeCertificate({ issuer: between, ...ofService('discovery') }), [
      between,
    ]);
    const { port } = await serve(mutualServerCredentials(service.files));
    const own = await hold(await makeCertificate({ issuer: between, ...ofService('provisioner') }), [
      between,
    ]);
    expect((await call(`localhost:${port}`, serviceCredentials(own.files, 'discovery'))).identity).toBe('it');
  });
});

describe.each(['CA', 'HASH'] as const)('a node that knows the CA by its %s', (kind) => {
  const anchor = ({ certificatePem, sha256 } = site.ca): RegistryAnchor =>
    kind === 'CA' ? { kind, caPem: certificatePem } : { kind, caSha256: sha256 };

  test('reports to discovery of that CA', async () => {
    const { files } = await site.hold(ofService('discovery'));
    const { port } = await serve(anchoredServerCredentials(files));
    const credentials = registryCredentials(anchor());
    expect((await call(`127.0.0.1:${port}`, credentials)).identity).toBe('it');
    expect((await call(`localhost:${port}`, credentials)).identity).toBe('it');
  });

  test('reports to discovery whose certificate an intermediate CA has issued', async () => {
    const between = await makeAuthority({ name: 'between', issuer: site.ca });
    const certificate = await makeCertificate({ issuer: between, ...ofService('discovery') });
    const { files } = await hold(certificate, [between, site.ca]);
    const { port } = await serve(anchoredServerCredentials(files));
    expect((await call(`127.0.0.1:${port}`, registryCredentials(anchor()))).identity).toBe('it');
    expect((await call(`127.0.0.1:${port}`, registryCredentials(anchor(between)))).identity).toBe('it');
  });

  test('sends nothing to discovery of another CA', async () => {
    const ca = await makeAuthority({ name: 'site CA' });
    const { files } = await hold(await makeCertificate({ issuer: ca, ...ofService('discovery') }), [ca]);
    const { port, asked } = await serve(anchoredServerCredentials(files));
    const reply = call(`127.0.0.1:${port}`, registryCredentials(anchor()));
    await expect(reply).rejects.toMatchObject({ code: status.UNAVAILABLE, neverConnected: true });
    expect(asked()).toBe(0);
  });

  test.each<[string, CertificateWish]>([
    ['another role', { uris: ['slipway:role:provisioner'] }],
    ['the name that is dialled alone', { dns: ['localhost'], ips: ['127.0.0.1'] }],
  ])('sends nothing to a peer of that CA with %s', async (_what, wish) => {
    const { files } = await site.hold(wish);
    const { port, asked } = await serve(anchoredServerCredentials(files));
    const reply = call(`localhost:${port}`, registryCredentials(anchor()));
    await expect(reply).rejects.toMatchObject(refusedFor(/lacks the URI slipway:role:discovery/));
    expect(asked()).toBe(0);
  });

  test('sends nothing to a peer that presents the right CA and is of another', async () => {
    const ca = await makeAuthority({ name: 'site CA' });
    const { certificatePem, keyPem } = await makeCertificate({ issuer: ca, ...ofService('discovery') });
    const cert = certificatePem + site.ca.certificatePem + ca.certificatePem;
    const { address, received } = await startTls({ cert, key: keyPem, ALPNProtocols: ['h2'] });
    await expect(call(address, registryCredentials(anchor()))).rejects.toMatchObject({
      neverConnected: true,
    });
    expect(received).toEqual([]);
  });

  test('sends nothing to discovery whose certificate has expired', async () => {
    const { certificatePem, keyPem } = await site.issue({ ...ofService('discovery'), ...past });
    const cert = certificatePem + site.ca.certificatePem;
    const { address, received } = await startTls({ cert, key: keyPem, ALPNProtocols: ['h2'] });
    const reply = call(address, registryCredentials(anchor()));
    await expect(reply).rejects.toMatchObject(refusedFor(/certificate has expired/));
    expect(received).toEqual([]);
  });

  test('gives no socket to a peer that stalls', async () => {
    const { address, connected, allClosed } = await startPeer((socket) => socket.resume());
    const client = new NodeAgentServiceClient(address, registryCredentials(anchor()), serviceChannelOptions);
    const reply = callUnary(client.identify.bind(client), {}, { timeoutMs: 200 });
    await Promise.all([connected, expect(reply).rejects.toMatchObject({ code: status.DEADLINE_EXCEEDED })]);
    client.close();
    await allClosed();
  });
});

describe('a node that knows the CA by its hash', () => {
  test('takes it in upper case', async () => {
    const { files } = await site.hold(ofService('discovery'));
    const { port } = await serve(anchoredServerCredentials(files));
    const anchor = { kind: 'HASH', caSha256: site.ca.sha256.toUpperCase() } as const;
    expect((await call(`127.0.0.1:${port}`, registryCredentials(anchor))).identity).toBe('it');
  });

  test('refuses the hash of what is no CA', async () => {
    const certificate = await site.issue(ofService('discovery'));
    const { files } = await hold(certificate, [site.ca]);
    const { port, asked } = await serve(anchoredServerCredentials(files));
    const anchor = { kind: 'HASH', caSha256: certificate.sha256 } as const;
    const reply = call(`127.0.0.1:${port}`, registryCredentials(anchor));
    await expect(reply).rejects.toMatchObject(refusedFor(/is no CA certificate/));
    expect(asked()).toBe(0);
  });

  test('is told which hash was not there', async () => {
    const { files } = await site.hold(ofService('discovery'));
    const { port } = await serve(anchoredServerCredentials(files));
    const caSha256 = 'ab'.repeat(32);
    const reply = call(`127.0.0.1:${port}`, registryCredentials({ kind: 'HASH', caSha256 }));
    const message = new RegExp(`presents no certificate with the hash ${caSha256}`);
    await expect(reply).rejects.toMatchObject(refusedFor(message));
  });
});

test('a CA file that holds none is told at once', () => {
  expect(() => registryCredentials({ kind: 'CA', caPem: 'nothing' })).toThrow(/./);
});

test('the chain that nodes see ends with the root', async () => {
  const { files } = await site.hold(ofService('discovery'));
  const pems = files.current.chainToRootPem.match(/-----BEGIN[^-]*-----[^-]*-----END[^-]*-----/g) ?? [];
  expect(pems.map((pem) => new X509Certificate(pem).subject)).toEqual(['CN=discovery', 'CN=site CA']);
});
