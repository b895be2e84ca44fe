// Nodes with TLS: the certificate of a boot, what it signs and what proofs are bound to, and whom a node trusts with
// its token.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { createServer } from 'node:tls';
import { status } from '@grpc/grpc-js';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { loopbackHost } from '../../services/mock-node/swarm/names.js';
import { pinMismatch } from '../../shared/grpc/credentials.js';
import { type Logger, loggerTo } from '../../shared/logger.js';
import { anchoredServerCredentials } from '../../shared/tls/server-credentials.js';
import type { NewProvisioningToken } from '../../shared/trust/mint-provisioning-token.js';
import { certificateSha256, ReportVerifier } from '../../shared/trust/report-envelope.js';
import { SiteKeys } from '../fakes/site-keys.js';
import {
  configureRequest,
  NodeClient,
  newRun,
  patience,
  startMockNode,
  startRegistry,
  type TestRegistry,
  temporaryFolder,
} from './mock-node-support.js';
import { ofService, TestSite } from './tls-support.js';

const tls = '--tls-mode=required';
const keys = new SiteKeys();
let site: TestSite;

beforeAll(async () => {
  site = await TestSite.create();
});

/** Discovery's listener for nodes, of this site. */
async function startDiscovery(of: TestSite = site): Promise<TestRegistry> {
  const { files } = await of.hold({ ...ofService('discovery'), ips: ['127.0.0.1'] });
  return await startRegistry(10_000, anchoredServerCredentials(files));
}

async function tokenFile(wish: Partial<NewProvisioningToken> = {}): Promise<{ path: string; token: string }> {
  const token = await keys.token(Date.now() / 1000, wish);
  const path = join(temporaryFolder(), 'token.jwt');
  writeFileSync(path, token);
  return { path, token };
}

function caFile(of: TestSite = site): string {
  const path = join(temporaryFolder(), 'ca.pem');
  writeFileSync(path, of.ca.certificatePem);
  return path;
}

/** A log, and what was written to it. */
function recorded(): [log: Logger, logged: () => string] {
  const lines = new PassThrough();
  let logged = '';
  lines.on('data', (chunk) => {
    logged += chunk;
  });
  return [loggerTo(lines, { service: 'mock-node', site: 'default', level: 'info' }), () => logged];
}

function encrypted(address: string, secret = ''): NodeClient {
  return new NodeClient(address, secret, { tls: true });
}

describe('a node', () => {
  test('serves with the certificate of its boot, and reports under its token with the same', async () => {
    const discovery = await startDiscovery();
    const { path, token } = await tokenFile({ caSha256: site.ca.sha256 });
    const app = await startMockNode({
      flags: [tls, '--jwt-file', path, '--discovery', discovery.address],
    });
    const node = encrypted(`127.0.0.1:${app.port}`, 's3cret');
    expect(await node.identify()).toMatchObject({
      features: { jwt: true, ed25519: true, pki: true, upgrades: true },
    });
    const firstBoot = node.certificateSha256;
    const run = newRun();
    await node.as(run, 'Configure', configureRequest());
    await node.as(run, 'Restart');
    await expect.poll(() => discovery.reports.map(({ type }) => type), patience).toHaveLength(3);

    // The connection to the boot before is gone, and its certificate with it.
    const failure = () =>
      node.identify().then(
        () => 'none',
        (error: Error) => error.message,
      );
    await expect.poll(failure, patience).toContain(pinMismatch);
    const next = encrypted(`127.0.0.1:${app.port}`, 's3cret');
    expect(await next.identify()).toMatchObject({ provisioning: false });
    expect(next.certificateSha256).not.toBe(firstBoot);
    const boots = [firstBoot, firstBoot, next.certificateSha256];
    for (const [index, { report, certificate, signature, authorization }] of discovery.sent.entries()) {
      expect(new ReportVerifier(1).verify(report, certificate, signature)).toBe(boots[index]);
      expect(authorization).toBe(`Bearer ${token}`);
    }
  });

  test('takes a proof for its own certificate alone, and says that it refused others', async () => {
    const { path } = await tokenFile();
    const [log, logged] = recorded();
    const app = await startMockNode({ log, flags: [tls, '--jwt-file', path] });
    const node = encrypted(`127.0.0.1:${app.port}`, 's3cret');
    const run = newRun();
    await node.as(run, 'GetInventory');
    // As somebody in between would see it, who has a certificate of his own.
    node.certificateSha256 = 'ab'.repeat(32);
    const relayed = await node.authority(run);
    for (let times = 0; times < 3; times++) {
      await expect(node.call('GetInventory', {}, relayed)).rejects.toMatchObject({ reason: 'PROOF_INVALID' });
    }
    expect(logged().match(/1 call was refused with PROOF_INVALID/g)).toHaveLength(1);
    expect(logged()).not.toContain('s3cret');
  });

  test('closes the connections of a boot that is over', async () => {
    const app = await startMockNode({ flags: [tls, '--down-time=60s'] });
    const node = encrypted(`127.0.0.1:${app.port}`);
    const run = newRun();
    await node.as(run, 'Configure', configureRequest());
    await node.as(run, 'Restart');
    await expect.poll(() => app.swarm.counts.DOWN, patience).toBe(1);
    await expect(node.identify()).rejects.toMatchObject({ code: status.UNAVAILABLE });
    await expect(encrypted(`127.0.0.1:${app.port}`).identify()).rejects.toMatchObject({
      code: status.UNAVAILABLE,
    });
  });

  test('answers nobody without TLS', async () => {
    const app = await startMockNode({ flags: [tls] });
    await expect(new NodeClient(`127.0.0.1:${app.port}`).identify()).rejects.toMatchObject({
      code: status.UNAVAILABLE,
    });
  });

  test('reads its token anew at each boot', async () => {
    const discovery = await startDiscovery();
    const { path } = await tokenFile();
    const flags = [tls, '--jwt-file', path, '--ca', caFile(), '--discovery', discovery.address];
    const app = await startMockNode({ flags });
    const next = await tokenFile({ provisioningByDefault: true });
    writeFileSync(path, next.token);
    const node = encrypted(`127.0.0.1:${app.port}`, 's3cret');
    const run = newRun();
    await node.as(run, 'Configure', configureRequest());
    await node.as(run, 'Restart');
    await expect.poll(() => discovery.sent.at(-1)?.authorization, patience).toBe(`Bearer ${next.token}`);
    // It says that settings which do not say are for provisioning.
    expect(discovery.reports.at(-1)).toMatchObject({ type: 'REPORT_TYPE_STARTUP' });
  });
});

describe('the token goes to discovery alone', () => {
  /** Whoever answers at discovery's address, with a certificate of the issuer's. */
  async function startImpostor(of: TestSite, uri: string) {
    const seen = { connections: 0, bytes: 0 };
    const { certificatePem, keyPem } = await of.issue({
      usages: ['serverAuth'],
      uris: [uri],
      ips: ['127.0.0.1'],
    });
    const server = createServer(
      { cert: certificatePem + of.ca.certificatePem, key: keyPem, ALPNProtocols: ['h2'] },
      (socket) => {
        socket.on('data', (data) => {
          seen.bytes += data.length;
        });
        socket.on('error', () => {});
      },
    );
    server.on('connection', () => {
      seen.connections++;
    });
    server.on('tlsClientError', () => {});
    const port = await new Promise<number>((resolve) => {
      server.listen(0, '127.0.0.1', () => {
        const address = server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : 0);
      });
    });
    onTestFinished(() => void server.close());
    return { address: `127.0.0.1:${port}`, seen };
  }

  test.each<[string, () => Promise<[TestSite, string, string[]]>]>([
    [
      'and not to one of another CA, where the token names the CA',
      async () => {
        const { path } = await tokenFile({ caSha256: site.ca.sha256 });
        return [await TestSite.create(), 'slipway:role:discovery', ['--jwt-file', path]];
      },
    ],
    [
      'and not to one of another CA, where a file has the CA',
      async () => {
        const { path } = await tokenFile();
        return [await TestSite.create(), 'slipway:role:discovery', ['--jwt-file', path, '--ca', caFile()]];
      },
    ],
    [
      'and not to another service of the site',
      async () => {
        const { path } = await tokenFile({ caSha256: site.ca.sha256 });
        return [site, 'slipway:role:provisioner', ['--jwt-file', path]];
      },
    ],
  ])('%s', async (_what, given) => {
    const [of, uri, flags] = await given();
    const { address, seen } = await startImpostor(of, uri);
    await startMockNode({ flags: [tls, ...flags, '--discovery', address] });
    await expect.poll(() => seen.connections, patience).toBeGreaterThan(2);
    expect(seen.bytes).toBe(0);
  });

  test('and to nobody where the node cannot know it, which it says', async () => {
    const [log, logged] = recorded();
    const discovery = await startDiscovery();
    const { path } = await tokenFile();
    const flags = [tls, '--nodes=3', '--jwt-file', path, '--discovery', discovery.address];
    await startMockNode({ log, flags });
    expect(logged().match(/nodes do not report/g)).toHaveLength(1);
    expect(discovery.reports).toEqual([]);
  });
});

describe('a swarm on loopback addresses', () => {
  const clientsOf = (port: number, count: number) =>
    Array.from({ length: count }, (_, index) => encrypted(`${loopbackHost(index)}:${port}`));

  test('has a certificate for each node, which its neighbours do not share', async () => {
    const app = await startMockNode({ flags: [tls, '--nodes=3'] });
    const clients = clientsOf(app.port, 3);
    for (const client of clients) await client.identify();
    const before = clients.map(({ certificateSha256 }) => certificateSha256);
    expect(new Set(before).size).toBe(3);

    const [first, second] = clients;
    if (first === undefined || second === undefined) expect.fail('no clients');
    const run = newRun();
    await first.as(run, 'Configure', configureRequest());
    await first.as(run, 'Restart');
    await expect.poll(() => app.swarm.counts.CONFIGURED, patience).toBe(1);
    const [renewed] = clientsOf(app.port, 1);
    expect(await renewed?.identify()).toMatchObject({ provisioning: false });
    expect(renewed?.certificateSha256).not.toBe(before[0]);
    expect(await second.identify()).toMatchObject({ provisioning: true });
    expect(second.certificateSha256).toBe(before[1]);
    // Nobody is at home there.
    await expect(encrypted(`127.0.0.1:${app.port}`).identify()).rejects.toMatchObject({
      code: status.UNAVAILABLE,
    });
  });

  test('may share one certificate, and its proofs', async () => {
    const { path } = await tokenFile();
    const app = await startMockNode({ flags: [tls, '--nodes=2', '--share-certificate', '--jwt-file', path] });
    const clients = Array.from({ length: 2 }, (_, index) =>
      encrypted(`${loopbackHost(index)}:${app.port}`, 's3cret'),
    );
    for (const client of clients) {
      const run = newRun();
      await client.as(run, 'Configure', configureRequest());
      await client.as(run, 'Restart');
    }
    await expect.poll(() => app.swarm.counts.CONFIGURED, patience).toBe(2);
    for (const client of clients) expect(await client.identify()).toMatchObject({ provisioning: false });
    expect(new Set(clients.map(({ certificateSha256 }) => certificateSha256)).size).toBe(1);
  });

  test('shares one channel for its reports', async () => {
    const discovery = await startDiscovery();
    const { path } = await tokenFile({ caSha256: site.ca.sha256 });
    const flags = [tls, '--nodes=30', '--jwt-file', path, '--discovery', discovery.address];
    await startMockNode({ flags });
    await expect.poll(() => discovery.reports.length, patience).toBe(30);
    expect(discovery.peers.size).toBe(1);
    const certificates = discovery.sent.map(({ certificate }) => certificateSha256(certificate));
    expect(new Set(certificates).size).toBe(30);
  });
});

test('nodes with a port each have a certificate each', async () => {
  const discovery = await startDiscovery();
  const { path } = await tokenFile({ caSha256: site.ca.sha256 });
  const flags = [tls, '--nodes=3', '--addresses=ports', '--jwt-file', path];
  await startMockNode({ flags: [...flags, '--discovery', discovery.address] });
  await expect.poll(() => discovery.reports.length, patience).toBe(3);
  for (const [index, { port, identity }] of discovery.reports.entries()) {
    const client = encrypted(`127.0.0.1:${port}`);
    expect(await client.identify()).toMatchObject({ identity });
    expect(client.certificateSha256).toBe(
      certificateSha256(discovery.sent[index]?.certificate ?? Buffer.of()),
    );
  }
});
