// Discovery with encryption: what it believes of nodes, whom it lets in as a consumer, and that nobody takes the
// place of a node that is there. Real servers, clients and certificates.

import { once } from 'node:events';
import { connect } from 'node:net';
import { status } from '@grpc/grpc-js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../shared/clock.js';
import {
  NodeDiscoveryServiceClient,
  NodeEventType,
} from '../../shared/gen/slipway/discovery/v1/discovery.js';
import { callUnary } from '../../shared/grpc/call.js';
import { serviceChannelOptions } from '../../shared/grpc/channel.js';
import { newBootId } from '../../shared/identity.js';
import { loggerTo, silentLogger } from '../../shared/logger.js';
import { parseHostPort } from '../../shared/net/addresses.js';
import { makeAuthority } from '../fakes/certificates.js';
import { bootCertificate, Site, signed, TokenKey } from './discovery-site.js';
import {
  captured,
  discoveryClient,
  freePort,
  Reporter,
  registryClient,
  type Shown,
  startAgent,
  startDiscovery,
  startRelay,
  Watch,
} from './discovery-support.js';

/** Discovery of a site, with a watch on it; and nodes, whose reports are signed. */
async function setUp(settings: Readonly<Record<string, unknown>> = {}) {
  const site = await Site.make();
  const app = await startDiscovery({ tls: site.tls, ...settings });
  const client = registryClient(app, site.forNodes);
  const consumer = discoveryClient(app, await site.forConsumer('operator'));
  const watch = new Watch(consumer);
  await watch.synced();
  const reporter = (identity: string, address: string, shown: Shown = {}) => {
    const { host, port } = parseHostPort(address);
    return new Reporter(client, identity, port, host, shown);
  };
  /** A node whose agent answers, and that has said that it is there. */
  const node = async (identity: string, token?: string) => {
    const certificate = await bootCertificate();
    const bootId = newBootId();
    const agent = await startAgent(() => ({ identity, bootId }), '127.0.0.1:0', certificate);
    const reports = reporter(identity, agent.address, { certificate, token });
    reports.bootId = bootId;
    await reports.report('STARTUP');
    await watch.until((told) => told.includes(`STARTUP ${identity} ${agent.address}`));
    return { agent, reports, certificate };
  };
  return { site, app, client, consumer, watch, node, reporter };
}

describe('a report', () => {
  it('is known by the certificate that signed it, to those who watch and list', async () => {
    const { consumer, watch, node } = await setUp();
    const { certificate } = await node('a.example');
    const hash = Buffer.from(certificate.sha256, 'hex');
    expect(watch.received.at(-1)?.message).toMatchObject({ value: { node: { certificateSha256: hash } } });
    const request = { pageSize: 0, pageToken: '', filter: undefined };
    const listed = await callUnary(consumer.listNodes.bind(consumer), request, { timeoutMs: 10_000 });
    expect(listed.nodes).toMatchObject([{ identity: 'a.example', certificateSha256: hash }]);
  });

  it('that nobody signed, or somebody else, is refused', async () => {
    const { client, reporter } = await setUp();
    const refusal = { code: status.UNAUTHENTICATED, reason: 'SIGNATURE_INVALID' };
    await expect(reporter('a.example', '127.0.0.1:1').report('STARTUP')).rejects.toMatchObject(refusal);
    const certificate = await bootCertificate();
    const request = signed(Buffer.from('what it says'), certificate);
    const send = (over: Partial<typeof request>) =>
      callUnary(client.report.bind(client), { ...request, ...over }, { timeoutMs: 10_000 });
    await expect(send({ report: Buffer.from('something else') })).rejects.toMatchObject(refusal);
    const { certificate: other } = signed(request.report, await bootCertificate());
    await expect(send({ certificate: other })).rejects.toMatchObject(refusal);
    // Well signed, and nothing that a node says.
    await expect(send({})).rejects.toMatchObject({ reason: 'ARGUMENT_INVALID' });
  });

  it('is verified without encryption too, where it is signed', async () => {
    const app = await startDiscovery();
    const certificate = await bootCertificate();
    const reporter = new Reporter(registryClient(app), 'a.example', 1, '127.0.0.1', { certificate });
    await reporter.report('STARTUP');
    reporter.shown = { certificate: { ...certificate, keyPem: (await bootCertificate()).keyPem } };
    await expect(reporter.report('ALIVE')).rejects.toMatchObject({ reason: 'SIGNATURE_INVALID' });
    reporter.shown = {};
    await expect(reporter.report('ALIVE')).rejects.toMatchObject({ reason: 'CERTIFICATE_MISMATCH' });
  });
});

describe('the token of a report', () => {
  const refusal = { code: status.UNAUTHENTICATED, reason: 'TOKEN_INVALID' };

  it('must be signed by the key of the site, and be valid; a new key is followed within a second', async () => {
    const site = await Site.make();
    const key = new TokenKey(site.folder.path);
    let ahead = 0;
    const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + ahead };
    const settings = { tls: site.tls, jwt_verify_cert: key.file };
    const app = await startDiscovery(settings, silentLogger(), { clock });
    const certificate = await bootCertificate();
    const reporter = new Reporter(registryClient(app, site.forNodes), 'a.example', 1, '127.0.0.1');
    const report = (token: string | undefined) => {
      reporter.shown = { certificate, token };
      return reporter.report('ALIVE');
    };
    const first = await key.token();
    await report(first);
    const expired = report(await key.token({ expiresAt: 1_750_000_000 }));
    await expect(expired).rejects.toMatchObject({
      ...refusal,
      message: 'the token expired at 2025-06-15T15:06:40.000Z',
    });
    await expect(report(undefined)).rejects.toMatchObject(refusal);
    await expect(report(`${first}x`)).rejects.toMatchObject(refusal);
    key.rotate('02');
    ahead += 1_000;
    await expect(report(first)).rejects.toMatchObject({
      ...refusal,
      message: expect.stringContaining('not signed by the key'),
    });
    await report(await key.token());
  });

  it('counts without encryption as well', async () => {
    const site = await Site.make();
    const key = new TokenKey(site.folder.path);
    const app = await startDiscovery({ jwt_verify_cert: key.file });
    const reporter = new Reporter(registryClient(app), 'a.example', 1);
    await expect(reporter.report('STARTUP')).rejects.toMatchObject(refusal);
    reporter.shown = { token: await key.token() };
    await reporter.report('STARTUP');
  });

  it('needs a key that is one: else discovery does not start, and says what it wants', async () => {
    await expect(startDiscovery({ jwt_verify_cert: '/nowhere/key.pem' })).rejects.toThrow(
      /jwt_verify_cert: there is no file \/nowhere\/key\.pem/,
    );
    await expect(startDiscovery({ jwt_verify_cert: 'abc'.repeat(20) })).rejects.toThrow(/jwt_verify_cert: /);
  });

  it('is refused with the reason where the signing seed was given as the key', async () => {
    const app = await startDiscovery({ jwt_verify_cert: '01'.repeat(32) });
    const key = new TokenKey((await Site.make()).folder.path);
    const reporter = new Reporter(registryClient(app), 'a.example', 1);
    reporter.shown = { token: await key.token() };
    const message = expect.stringMatching(/jwt_verify_cert\) is the seed of a signer/);
    await expect(reporter.report('STARTUP')).rejects.toMatchObject({ ...refusal, message });
  });

  it('that is refused is told of once, with the number, the reason and the source, and never with the token', async () => {
    const site = await Site.make();
    const key = new TokenKey(site.folder.path);
    const lines: string[] = [];
    let warned: () => void = () => {};
    const summary = new Promise<void>((resolve) => {
      warned = resolve;
    });
    const log = loggerTo(
      {
        write: (line) => {
          lines.push(line);
          if (line.includes('reports are refused')) warned();
        },
      },
      { service: 'discovery', site: 'test', level: 'debug' },
    );
    const app = await startDiscovery({ jwt_verify_cert: key.file }, log);
    const client = registryClient(app);
    const token = await key.token({ expiresAt: 1_750_000_000 });
    await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) =>
        new Reporter(client, `n${index}.example`, 1, '127.0.0.1', { token }).report('STARTUP'),
      ),
    );
    await summary;
    const warnings = lines.filter((line) => line.includes('"level":"warn"') && line.includes('refused'));
    expect(warnings.map((line) => JSON.parse(line))).toMatchObject([
      {
        reason: 'TOKEN_INVALID',
        reports: expect.any(Number),
        from: ['127.0.0.1'],
        msg: expect.stringContaining('expired'),
      },
    ]);
    expect(lines.join()).not.toContain(token);
  });
});

it('a source that holds hundreds of handshakes open keeps nobody else out', async () => {
  const { app, node } = await setUp();
  const { host, port } = parseHostPort(app.addresses.nodes);
  const idle = Array.from({ length: 300 }, () => connect({ host, port, localAddress: '127.0.0.2' }));
  onTestFinished(() => {
    for (const socket of idle) socket.destroy();
  });
  for (const socket of idle) socket.on('error', () => {});
  await Promise.all(idle.map((socket) => once(socket, 'connect')));
  await node('a.example');
});

describe('a consumer', () => {
  const request = { pageSize: 0, pageToken: '', filter: undefined };

  it('may do what its role allows, and nothing else', async () => {
    const { site, app } = await setUp();
    const may = async (role: string) => {
      const client = discoveryClient(app, await site.forConsumer(role));
      const outcome = (call: Promise<unknown>) =>
        call.then(
          () => 'OK',
          (error) => error.code,
        );
      const watch = new Watch(client);
      return [
        await Promise.race([watch.synced().then(() => 'OK'), watch.ended.then((error) => error?.code)]),
        await outcome(callUnary(client.listNodes.bind(client), request, { timeoutMs: 10_000 })),
        await outcome(callUnary(client.discover.bind(client), {}, { timeoutMs: 10_000 })),
      ];
    };
    const denied = status.PERMISSION_DENIED;
    expect(await may('viewer')).toEqual(['OK', 'OK', denied]);
    expect(await may('operator')).toEqual(['OK', 'OK', 'OK']);
    expect(await may('provisioner')).toEqual(['OK', denied, 'OK']);
    expect(await may('discovery')).toEqual([denied, denied, denied]);
  });

  it('of another site, or without a certificate, gets nothing', async () => {
    const { site, app } = await setUp();
    const foreign = await site.forConsumer('operator', {
      issuer: await makeAuthority({ name: 'another CA' }),
    });
    for (const channel of [foreign, site.forNodes]) {
      const client = discoveryClient(app, channel);
      const refusal = { code: status.UNAUTHENTICATED };
      const list = callUnary(client.listNodes.bind(client), request, { timeoutMs: 10_000 });
      await expect(list).rejects.toMatchObject(refusal);
      expect(await new Watch(client).ended).toMatchObject(refusal);
    }
  });

  it('keeps its watch when the certificate of discovery is renewed', async () => {
    const { site, watch, node } = await setUp();
    await site.renew();
    await node('a.example');
    expect(watch.told).toHaveLength(2);
  });
});

it('without encryption a listener with it is not spoken to, and the other way round', async () => {
  const { app } = await setUp();
  const plain = new Reporter(registryClient(app), 'a.example', 1);
  await expect(plain.report('STARTUP')).rejects.toMatchObject({ code: status.UNAVAILABLE });
  const site = await Site.make();
  const without = await startDiscovery();
  const client = new NodeDiscoveryServiceClient(
    without.addresses.consumers,
    await site.forConsumer('operator'),
    serviceChannelOptions,
  );
  onTestFinished(() => client.close());
  await expect(callUnary(client.discover.bind(client), {}, { timeoutMs: 10_000 })).rejects.toMatchObject({
    code: status.UNAVAILABLE,
  });
});

describe('somebody with a token of the fleet, in the name of a node that is there', () => {
  async function fleet() {
    const keys = await Site.make();
    const key = new TokenKey(keys.folder.path);
    const set = await setUp({ jwt_verify_cert: key.file });
    const token = await key.token();
    const victim = await set.node('a.example', token);
    return { ...set, token, victim, intruderAt: `127.0.0.2:${await freePort()}` };
  }

  /** What happened to nodes. */
  const conflictOf = (watch: Watch) =>
    watch.received.flatMap(({ message }) =>
      message?.$case === 'event' && message.value.type === NodeEventType.CONFLICT ? [message.value] : [],
    );

  it('under a boot of his own is named in a conflict, and that is all', async () => {
    const { watch, token, victim, reporter, intruderAt } = await fleet();
    const certificate = await bootCertificate();
    const intruder = reporter('a.example', intruderAt, { certificate, token });
    const sequence = 2n ** 64n - 1n;
    await intruder.report('STARTUP', { sequence });
    await watch.until((told) => told.some((event) => event.startsWith('CONFLICT')));
    expect(conflictOf(watch)).toMatchObject([
      {
        node: {
          address: victim.agent.address,
          certificateSha256: Buffer.from(victim.certificate.sha256, 'hex'),
        },
        newcomer: { address: intruderAt, certificateSha256: Buffer.from(certificate.sha256, 'hex') },
      },
    ]);
    for (const type of ['PROVISIONED', 'UPGRADED', 'SHUTDOWN'] as const) {
      await reporter('a.example', intruderAt, { certificate: await bootCertificate(), token }).report(type);
    }
    await victim.reports.report('ALIVE');
    await victim.reports.report('SHUTDOWN');
    const left = `SHUTDOWN a.example ${victim.agent.address}`;
    const told = await watch.until((events) => events.includes(left));
    expect(told.filter((event) => !event.startsWith('CONFLICT'))).toEqual([
      'SYNCED',
      `STARTUP a.example ${victim.agent.address}`,
      left,
    ]);
  });

  it("under the node's own boot id is refused, and named", async () => {
    const { watch, token, victim, reporter, intruderAt } = await fleet();
    const intruder = reporter('a.example', intruderAt, { certificate: await bootCertificate(), token });
    intruder.bootId = victim.reports.bootId;
    for (const type of ['ALIVE', 'SHUTDOWN', 'PROVISIONED'] as const) {
      await expect(intruder.report(type, { sequence: 2n ** 64n - 1n })).rejects.toMatchObject({
        code: status.PERMISSION_DENIED,
        reason: 'CERTIFICATE_MISMATCH',
      });
    }
    await watch.until((told) => told.includes(`CONFLICT a.example ${victim.agent.address}`));
    expect(conflictOf(watch)[0]).toMatchObject({ newcomer: { address: intruderAt } });
    await victim.reports.report('ALIVE');
  });

  it('with reports that the node signed, from elsewhere, changes nothing', async () => {
    const { site, app, watch, node } = await setUp({ trust_advertised_host: false });
    const { agent, reports } = await node('a.example');
    const taken = await captured(reports);
    const reply = await reports.send(taken);
    const undelivered = await captured(reports, 'SHUTDOWN');
    const nodes = await startRelay(app.addresses.nodes, '127.0.0.2');
    const elsewhere = registryClient({ ...app, addresses: { ...app.addresses, nodes } }, site.forNodes);
    const replay = (report: Uint8Array) => {
      const request = signed(Buffer.from(report), reports.shown.certificate);
      return callUnary(elsewhere.report.bind(elsewhere), request, { timeoutMs: 10_000 });
    };
    expect(await replay(taken)).toEqual(reply);
    await replay(undelivered);
    await watch.until((told) => told.includes(`CONFLICT a.example ${agent.address}`));
    expect(conflictOf(watch)[0]?.newcomer?.address).toBe(`127.0.0.2:${reports.port}`);
    await reports.report('ALIVE');
    expect(watch.told).toHaveLength(3);
  });

  it('whose agent answers with the boot id of the node, but cannot have its certificate, does not stand for it', async () => {
    const { watch, token, victim, node, reporter } = await fleet();
    // The node is gone, and another agent at its address says what it said.
    await victim.agent.stop(0);
    const { bootId } = victim.reports;
    await startAgent(
      () => ({ identity: 'a.example', bootId }),
      victim.agent.address,
      await bootCertificate(),
    );
    const next = reporter('a.example', `127.0.0.1:${await freePort()}`, {
      certificate: await bootCertificate(),
      token,
    });
    await next.report('STARTUP');
    await watch.until((told) => told.includes(`STARTUP a.example 127.0.0.1:${next.port}`));
    await node('b.example', token);
    expect(conflictOf(watch)).toEqual([]);
  });
});

it('a node with a certificate is asked on it also by a discovery without encryption', async () => {
  const app = await startDiscovery();
  const client = registryClient(app);
  const watch = new Watch(discoveryClient(app));
  const certificate = await bootCertificate();
  const bootId = newBootId();
  const agent = await startAgent(() => ({ identity: 'a.example', bootId }), '127.0.0.1:0', certificate);
  const { port } = parseHostPort(agent.address);
  const node = new Reporter(client, 'a.example', port, '127.0.0.1', { certificate });
  node.bootId = bootId;
  await node.report('STARTUP');
  await new Reporter(client, 'a.example', 1, '127.0.0.2').report('STARTUP');
  await watch.until((told) => told.includes(`CONFLICT a.example ${agent.address}`));
});

describe('a static target', () => {
  it('is asked with encryption, and bound to the certificate that it answers with', async () => {
    const certificate = await bootCertificate();
    const bootId = newBootId();
    const agent = await startAgent(() => ({ identity: 'b.example', bootId }), '127.0.0.1:0', certificate);
    const plain = await startAgent(() => ({ identity: 'c.example', bootId: newBootId() }));
    const { watch, reporter } = await setUp({ targets: [agent.address, plain.address] });
    const sighted = `SIGHTED b.example ${agent.address}`;
    await watch.until((told) => told.includes(sighted));
    const message = watch.received.find((each) => each.message?.$case === 'event')?.message;
    expect(message).toMatchObject({
      value: { node: { certificateSha256: Buffer.from(certificate.sha256, 'hex') } },
    });
    const intruder = reporter('b.example', '127.0.0.2:1', { certificate: await bootCertificate() });
    intruder.bootId = bootId;
    await expect(intruder.report('ALIVE')).rejects.toMatchObject({ reason: 'CERTIFICATE_MISMATCH' });
    await watch.until((told) => told.includes(`CONFLICT b.example ${agent.address}`));
    expect(watch.told.some((event) => event.includes('c.example'))).toBe(false);
  });
});
