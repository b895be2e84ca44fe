// A service whose own certificate has expired is not ready, whoever asks, until a new one is in its place.

import {
  type ChannelCredentials,
  credentials,
  makeGenericClientConstructor,
  type ServiceDefinition,
} from '@grpc/grpc-js';
import { service as healthService } from 'grpc-health-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Clock, systemClock } from '../../shared/clock.js';
import { silentLogger } from '../../shared/logger.js';
import { TlsFolder } from '../fakes/tls-folder.js';
import { freePort, startDiscovery } from './discovery-support.js';
import { metric, Site } from './provisioner-support.js';
import { ofService, TestSite } from './tls-support.js';

const hourMs = 3_600_000;
const patience = { timeout: 10_000, interval: 50 };

/** The machine's clock, whose wall may be elsewhere. */
function shiftedClock() {
  let ahead = 0;
  const clock: Clock = { ...systemClock, now: () => systemClock.now() + ahead };
  const shift = (ms: number) => {
    ahead += ms;
  };
  return { clock, shift };
}

async function filesOf(site: TestSite, service: string) {
  const folder = new TlsFolder();
  onTestFinished(() => folder.remove());
  const renew = async (lifeMs: number) => {
    const notAfter = new Date(Date.now() + lifeMs);
    folder.put(await site.issue({ ...ofService(service), notAfter }), [site.ca]);
  };
  await renew(hourMs);
  return { renew, tls: { mode: 'required', ...folder.paths } };
}

interface Health {
  check(request: { service: string }, answer: (error: Error | null, reply: { status: string }) => void): void;
}

function healthOf(address: string, channel: ChannelCredentials): Promise<string> {
  const HealthClient = makeGenericClientConstructor(healthService as ServiceDefinition, 'Health');
  const client = new HealthClient(address, channel, { 'grpc.use_local_subchannel_pool': 1 });
  return new Promise<string>((resolve, reject) => {
    (client as unknown as Health).check({ service: '' }, (error, reply) =>
      error === null ? resolve(reply.status) : reject(error),
    );
  }).finally(() => client.close());
}

function anybody(site: TestSite): ChannelCredentials {
  return credentials.createSsl(Buffer.from(site.ca.certificatePem), null, null, {
    checkServerIdentity: () => undefined,
  });
}

async function readiness(monitor: string | undefined): Promise<string> {
  const response = await fetch(`http://${monitor}/readyz`);
  return `${response.status} ${await response.text()}`.trim();
}

const expired = expect.stringMatching(/^503 the TLS certificate \S+cert\.pem expired at \d{4}-/);

test('discovery is not ready while its certificate has expired', async () => {
  const site = await TestSite.create();
  const { tls, renew } = await filesOf(site, 'discovery');
  const { clock, shift } = shiftedClock();
  const app = await startDiscovery({ tls, monitor_port: await freePort() }, silentLogger(), { clock });
  const { consumers, nodes, monitor } = app.addresses;
  const health = () => Promise.all([consumers, nodes].map((address) => healthOf(address, anybody(site))));
  const left = async () => {
    const text = await (await fetch(`http://${monitor}/metrics`)).text();
    const line = text.split('\n').find((each) => each.startsWith('slipway_discovery_credential_expiry'));
    expect(line).toContain('name="tls"');
    return Number(line?.split(' ')[1]);
  };
  expect(await readiness(monitor)).toBe('200 ok');
  expect(await left()).toBeGreaterThan(3_000);
  shift(2 * hourMs);
  expect(await readiness(monitor)).toEqual(expired);
  expect(await left()).toBeLessThan(-3_000);
  await vi.waitFor(async () => expect(await health()).toEqual(['NOT_SERVING', 'NOT_SERVING']), patience);
  await renew(10 * hourMs);
  await vi.waitFor(async () => expect(await health()).toEqual(['SERVING', 'SERVING']), patience);
  expect(await readiness(monitor)).toBe('200 ok');
});

test('without encryption no certificate expires', async () => {
  const { monitor } = (await startDiscovery({ monitor_port: await freePort() })).addresses;
  const metrics = await (await fetch(`http://${monitor}/metrics`)).text();
  expect(metrics).toMatch(/^slipway_discovery_credential_expiry_seconds\{name="tls",.*\} \+Inf$/m);
});

test('the provisioner is not ready while its certificate has expired', async () => {
  const site = await TestSite.create();
  const discovery = await startDiscovery({ tls: (await filesOf(site, 'discovery')).tls });
  const { tls, renew } = await filesOf(site, 'provisioner');
  const { clock, shift } = shiftedClock();
  const settings = { tls, token: 's3cret', monitor_port: await freePort() };
  const app = await new Site().start([discovery.addresses.consumers], settings, clock);
  const { api = '', monitor } = app.addresses;
  const health = () => healthOf(api, anybody(site));
  await vi.waitFor(async () => expect(await health()).toBe('SERVING'), patience);
  expect(await readiness(monitor)).toBe('200 ok');
  shift(2 * hourMs);
  expect(await readiness(monitor)).toEqual(expired);
  expect(await metric(app, 'credential_expiry_seconds', 'tls')).toBeLessThan(0);
  await vi.waitFor(async () => expect(await health()).toBe('NOT_SERVING'), patience);
  await renew(10 * hourMs);
  await vi.waitFor(async () => expect(await health()).toBe('SERVING'), patience);
  expect(await readiness(monitor)).toBe('200 ok');
});
