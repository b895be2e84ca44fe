// The provisioner with TLS, and with credentials that change while it works.

import { randomBytes } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ChannelCredentials, credentials, ServerCredentials } from '@grpc/grpc-js';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ProvisionerApp } from '../../services/provisioner/app.js';
import { ProvisionerServiceClient } from '../../shared/gen/slipway/provisioner/v1/provisioner.js';
import { callUnary } from '../../shared/grpc/call.js';
import { Secret } from '../../shared/secret.js';
import { verifyServerToken } from '../../shared/trust/server-token.js';
import {
  type CertificateWish,
  makeAuthority,
  makeCertificate,
  type TestCertificate,
} from '../fakes/certificates.js';
import type { FakeNode } from '../fakes/fake-nodes.js';
import { SiteKeys } from '../fakes/site-keys.js';
import { TlsFolder } from '../fakes/tls-folder.js';
import { metric, Site, sighting, startDiscovery, startNodes } from './provisioner-support.js';

const authority = await makeAuthority();
const usages = ['serverAuth', 'clientAuth'] as const;
const timeoutMs = 5_000;

function issue(role: string, over: CertificateWish = {}): Promise<TestCertificate> {
  return makeCertificate({ issuer: authority, uris: [`slipway:role:${role}`], usages, ...over });
}

function pair({ keyPem, certificatePem }: TestCertificate) {
  return { private_key: Buffer.from(keyPem), cert_chain: Buffer.from(certificatePem) };
}

/** A discovery service and nodes, all with certificates. */
async function startSurroundings() {
  const server = ServerCredentials.createSsl(
    Buffer.from(authority.certificatePem),
    [pair(await issue('discovery'))],
    true,
  );
  const discovery = await startDiscovery(0, server);
  const nodes = await startNodes(await makeCertificate({ name: 'nodes' }));
  const tls = new TlsFolder();
  onTestFinished(() => tls.remove());
  tls.put(await issue('provisioner'), [authority]);
  return { site: new Site(), discovery, nodes, tls };
}

function client(app: ProvisionerApp, channel: ChannelCredentials): ProvisionerServiceClient {
  const options = { 'grpc.ssl_target_name_override': 'provisioner' };
  const made = new ProvisionerServiceClient(app.addresses.api ?? '', channel, options);
  onTestFinished(() => made.close());
  return made;
}

async function channelOf(role: string | undefined): Promise<ChannelCredentials> {
  const ca = Buffer.from(authority.certificatePem);
  if (role === undefined) return credentials.createSsl(ca);
  const { private_key: key, cert_chain: chain } = pair(await issue(role, { name: `a ${role}` }));
  return credentials.createSsl(ca, key, chain);
}

function endOf(site: Site, { identity }: FakeNode) {
  return site.line((line) => line.identity === identity && String(line.msg).startsWith('run finished'));
}

/** Puts a file in the place of another, as those who rotate credentials do it. */
function replace(file: string, content: string): void {
  writeFileSync(`${file}.new`, content);
  renameSync(`${file}.new`, file);
}

describe('a provisioner with TLS', () => {
  it('shows its certificate to discovery, and takes orders by role', async () => {
    const { site, discovery, nodes, tls } = await startSurroundings();
    const wish = { name: 'provisioner', dns: ['provisioner'] };
    tls.put(await issue('provisioner', wish), [authority]);
    const app = await site.start([discovery.address], {
      tls: { mode: 'required', ...tls.paths },
      token: 's3cret',
    });
    await discovery.watched(1);
    const node = nodes.add('a.example.net');
    discovery.send(sighting(nodes, node));
    expect((await endOf(site, node)).outcome).toBe('PROVISIONED');
    expect(await metric(app, 'credential_expiry_seconds', 'tls')).toBeGreaterThan(86_400);

    const pauseAs = async (role: string | undefined) => {
      const made = client(app, await channelOf(role));
      return callUnary(made.pause.bind(made), { message: 'x' }, { timeoutMs });
    };
    await expect(pauseAs(undefined)).rejects.toMatchObject({ code: 16 });
    await expect(pauseAs('viewer')).rejects.toMatchObject({
      code: 7,
      message: expect.stringContaining(
        'needs the role operator; the certificate of "a viewer" has the role viewer',
      ),
    });
    const pause = { paused: true, by: 'a operator' };
    await expect(pauseAs('operator')).resolves.toMatchObject({ pause });
    const told = await site.line(({ msg }) => String(msg).startsWith('paused by'));
    expect(told.by).toBe('a operator');
  });

  it('does not speak to a discovery of another authority', async () => {
    const foreign = await makeAuthority();
    const impostor = await issue('discovery', { issuer: foreign });
    const { site, tls } = await startSurroundings();
    const server = ServerCredentials.createSsl(null, [pair(impostor)]);
    const discovery = await startDiscovery(0, server);
    await site.start([discovery.address], { tls: { mode: 'required', ...tls.paths } });
    const line = await site.line(({ msg }) => msg.startsWith('cannot watch a discovery service'));
    expect(line.why).toContain('certificate');
    expect(discovery.watches).toEqual([]);
  });
});

describe('credentials that change while nodes are provisioned', () => {
  const organisation = new SiteKeys();
  const now = Math.floor(Date.now() / 1000);

  async function start() {
    const surroundings = await startSurroundings();
    const { site, discovery, tls } = surroundings;
    const file = (name: string) => join(site.folder, name);
    const seed = randomBytes(32).toString('hex');
    replace(file('signing.seed'), seed);
    replace(file('signing.jwt'), await organisation.signingToken(seed, { expiresAt: now + 86_400 }));
    replace(file('tokens'), 'old\n');
    replace(file('org.pub'), organisation.publicKey);
    const app = await site.start([discovery.address], {
      tls: { mode: 'required', ...tls.paths },
      workers: 4,
      features: { ed25519: true },
      token_file: 'tokens',
      jwt_verify_cert: 'org.pub',
      jwt_signing_key: 'signing.seed',
      jwt_signing_token: 'signing.jwt',
    });
    await discovery.watched(1);
    return { ...surroundings, app, file };
  }

  it('lose none of them: signing key and token, provisioning secret, certificates', {
    timeout: 60_000,
  }, async () => {
    const { site, discovery, nodes, tls, app, file } = await start();
    const tokens = {
      old: await organisation.token(now, { secret: new Secret('old') }),
      new: await organisation.token(now, { secret: new Secret('new') }),
    };
    const fleet = Array.from({ length: 60 }, (_, index) => {
      const node = nodes.add(`n${index}.example.net`);
      node.secret = index < 30 ? 'old' : 'new';
      node.keys.jwt = index < 30 ? tokens.old : tokens.new;
      return node;
    });
    for (const node of fleet.slice(0, 30)) discovery.send(sighting(nodes, node));
    await endOf(site, fleet[5] as FakeNode);

    // One after the other: in between the halves do not fit together.
    const next = randomBytes(32).toString('hex');
    replace(file('signing.seed'), next);
    await site.line(({ msg }) => msg.startsWith('server tokens cannot be signed'));
    tls.put(await issue('provisioner'), [authority]);
    replace(file('tokens'), 'new\nold\n');
    await site.line(({ msg }) => msg.includes('token_file') && msg.includes('has changed'));
    replace(file('signing.jwt'), await organisation.signingToken(next, { expiresAt: now + 172_800 }));
    await site.line(({ msg }) => msg === 'server tokens can be signed again');

    for (const node of fleet.slice(30)) discovery.send(sighting(nodes, node));
    for (const node of fleet.slice(0, 30)) {
      expect((await endOf(site, node)).outcome).toBe('PROVISIONED');
      await verifyServerToken(node.serverJwt, organisation.verificationKey, Date.now() / 1000);
    }
    await site.line(({ msg }) => msg === 'the TLS files have changed and are in use');
    expect(await metric(app, 'credential_expiry_seconds', 'signing_token')).toBeGreaterThan(100_000);
    for (const node of fleet.slice(30)) {
      const ended = await endOf(site, node);
      expect([node.identity, ended.outcome, ended.reason]).toEqual([node.identity, 'PROVISIONED', undefined]);
    }
    expect(discovery.watches).toHaveLength(1);
    const warnings = site.lines.filter(({ msg }) => msg.startsWith('server tokens cannot be signed'));
    expect(warnings).toHaveLength(1);
    const said = JSON.stringify(site.lines);
    for (const secret of [next, tokens.old.slice(-40), tokens.new.slice(-40)])
      expect(said).not.toContain(secret);
  });

  it('hold nodes up while they are missing, and say so once', async () => {
    const { site, discovery, nodes, file } = await start();
    rmSync(file('signing.jwt'));
    const node = nodes.add('a.example.net');
    const other = nodes.add('b.example.net');
    for (const each of [node, other]) {
      each.keys.jwt = await organisation.token(now, { secret: new Secret('old') });
      discovery.send(sighting(nodes, each));
    }
    for (const { identity } of [node, other]) {
      const line = await site.line(
        (line) => line.identity === identity && line.msg.startsWith('waits for signing'),
      );
      expect(line.msg).toContain(file('signing.jwt'));
    }
    const seed = randomBytes(32).toString('hex');
    replace(file('signing.seed'), seed);
    replace(file('signing.jwt'), await organisation.signingToken(seed, { expiresAt: now + 86_400 }));
    for (const each of [node, other]) expect((await endOf(site, each)).outcome).toBe('PROVISIONED');
  });
});
