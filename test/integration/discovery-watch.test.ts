// Watches over the wire, at some size, and the life of the service around them.

import {
  credentials,
  makeGenericClientConstructor,
  type ServiceDefinition,
  type ServiceError,
  status,
} from '@grpc/grpc-js';
import { service as healthService } from 'grpc-health-check';
import { describe, expect, it } from 'vitest';
import type { ListNodesResponse } from '../../shared/gen/slipway/discovery/v1/discovery.js';
import { callUnary } from '../../shared/grpc/call.js';
import {
  discoveryClient,
  freePort,
  Reporter,
  registryClient,
  startDiscovery,
  Watch,
} from './discovery-support.js';

/** What grpc.health.v1 says of a service. */
function healthOf(address: string, name: string): Promise<string> {
  const Client = makeGenericClientConstructor(healthService as ServiceDefinition, 'Health');
  const client = new Client(address, credentials.createInsecure());
  return new Promise<string>((resolve, reject) => {
    const done = (error: ServiceError | null, response?: { readonly status: string }) =>
      response === undefined ? reject(error) : resolve(response.status);
    client.check?.({ service: name }, done);
  }).finally(() => client.close());
}

/** Reports of many nodes, all at once. */
async function startFleet(client: ReturnType<typeof registryClient>, size: number): Promise<Reporter[]> {
  const nodes = Array.from(
    { length: size },
    (_, index) => new Reporter(client, `n${index}.example`, 7430, `127.1.${index >> 8}.${index & 255}`),
  );
  await Promise.all(nodes.map((node) => node.report('STARTUP')));
  return nodes;
}

describe('a watch', () => {
  it('of a fleet that came within a second has every node in its snapshot, and resumes', async () => {
    const app = await startDiscovery({ max_reports_per_second: 10_000, interval: '1d' });
    const registry = registryClient(app);
    const client = discoveryClient(app);
    const nodes = await startFleet(registry, 2000);
    const watch = new Watch(client);
    await watch.count(2001);
    expect(watch.told.at(-1)).toBe('SYNCED');
    expect(new Set(watch.told).size).toBe(2001);
    const last = watch.received.at(-1)?.message;
    const resume = last?.$case === 'synced' ? last.value.position : undefined;
    watch.cancel();
    await nodes[7]?.report('SHUTDOWN');
    const resumed = new Watch(client, { resume });
    expect(await resumed.synced()).toEqual(['SHUTDOWN n7.example 127.1.0.7:7430', 'SYNCED']);
  });

  it('that stands still is overtaken: it ends, and begins anew with a snapshot', async () => {
    const app = await startDiscovery({ max_reports_per_second: 100_000, event_ring: 5000, interval: '1d' });
    const registry = registryClient(app);
    const client = discoveryClient(app);
    await startFleet(registry, 1500);
    const slow = new Watch(client);
    await slow.count(1501);
    slow.pause();
    const quick = new Watch(client);
    await quick.count(1501);
    for (let cycle = 1; cycle <= 10; cycle++) {
      await callUnary(client.discover.bind(client), {}, { timeoutMs: 5000 });
      await quick.count(1501 + cycle * 1500);
    }
    slow.resume();
    expect(await slow.ended).toMatchObject({ code: status.OUT_OF_RANGE });
    const last = slow.received.at(-1)?.message;
    const resume =
      last?.$case === 'event' ? { epoch: last.value.epoch, revision: last.value.revision } : undefined;
    const again = new Watch(client, { resume });
    await again.count(1501);
    expect(new Set(again.told).size).toBe(1501);
    expect(again.told.at(-1)).toBe('SYNCED');
  });

  it('ends with UNAVAILABLE when the service stops, which takes no time', async () => {
    const app = await startDiscovery();
    const client = discoveryClient(app);
    const watches = [new Watch(client), new Watch(client)];
    for (const watch of watches) await watch.synced();
    const started = performance.now();
    await app.stop();
    expect(performance.now() - started).toBeLessThan(3000);
    for (const watch of watches) expect(await watch.ended).toMatchObject({ code: status.UNAVAILABLE });
  });
});

describe('what selects nodes', () => {
  const labels = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`l${index}`, '']));

  it.each([
    ['filter.components', { components: Array.from({ length: 101 }, () => 'x'), labels: {} }],
    ['filter.components', { components: ['x'.repeat(256)], labels: {} }],
    ['filter.labels', { components: [], labels: labels(101) }],
    ['filter.labels', { components: [], labels: { rack: 'x'.repeat(256) } }],
  ])('is refused where it is more than any node has: %s', async (field, filter) => {
    const client = discoveryClient(await startDiscovery());
    const refused = { code: status.INVALID_ARGUMENT, details: expect.stringMatching(`^${field}: `) };
    expect(await new Watch(client, { filter }).ended).toMatchObject(refused);
    const request = { pageSize: 0, pageToken: '', filter };
    const listed = callUnary(client.listNodes.bind(client), request, { timeoutMs: 5000 });
    await expect(listed).rejects.toMatchObject({ violations: [{ field }] });
  });

  it('is no epoch where it is a long text', async () => {
    const client = discoveryClient(await startDiscovery());
    const resume = { epoch: 'x'.repeat(256), revision: 1n };
    expect(await new Watch(client, { resume }).ended).toMatchObject({ code: status.INVALID_ARGUMENT });
    const highest = new Watch(client, { resume: { epoch: '', revision: (1n << 63n) - 1n } });
    await highest.synced();
  });
});

describe('ListNodes', () => {
  it('pages through the fleet in order, whatever changes meanwhile', async () => {
    const app = await startDiscovery({ max_reports_per_second: 10_000 });
    const client = discoveryClient(app);
    const nodes = await startFleet(registryClient(app), 250);
    const list = (pageSize: number, pageToken: string): Promise<ListNodesResponse> =>
      callUnary(
        client.listNodes.bind(client),
        { pageSize, pageToken, filter: undefined },
        { timeoutMs: 5000 },
      );
    const first = await list(0, '');
    expect(first.nodes).toHaveLength(100);
    const gone = first.nodes.at(-1)?.identity;
    await nodes.find(({ identity }) => identity === gone)?.report('SHUTDOWN');
    const second = await list(1_000_000, first.nextPageToken);
    expect(second.nodes).toHaveLength(150);
    expect(second.nextPageToken).toBe('');
    const all = [...first.nodes, ...second.nodes].map(({ identity }) => identity);
    expect(all).toEqual(nodes.map(({ identity }) => identity).sort());
    const invalid = { code: status.INVALID_ARGUMENT, reason: 'ARGUMENT_INVALID' };
    await expect(list(-1, '')).rejects.toMatchObject(invalid);
    await expect(list(1, 'nonsense')).rejects.toMatchObject(invalid);
  });

  it('gives no page that is too large for a message', async () => {
    const app = await startDiscovery({ max_reports_per_second: 10_000 });
    const client = discoveryClient(app);
    const registry = registryClient(app);
    const labels = Object.fromEntries(
      Array.from({ length: 16 }, (_, index) => [`l${index}`, '€'.repeat(255)]),
    );
    const identities = Array.from({ length: 400 }, (_, index) => `n${index + 100}.example`);
    await Promise.all(
      identities.map((identity, index) =>
        new Reporter(registry, identity, 1000 + index).report('STARTUP', { labels }),
      ),
    );
    const found: string[] = [];
    let pageToken = '';
    do {
      const request = { pageSize: 1000, pageToken, filter: undefined };
      const page = await callUnary(client.listNodes.bind(client), request, { timeoutMs: 5000 });
      expect(page.nodes.length).toBeLessThan(100);
      found.push(...page.nodes.map(({ identity }) => identity));
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    expect(found).toEqual(identities);
  });
});

describe('the service', () => {
  it('is ready, counts what it does, and says what it serves', async () => {
    const app = await startDiscovery({ monitor_port: await freePort(), site: 'lab' });
    const node = new Reporter(registryClient(app), 'a.example', 1);
    await node.report('STARTUP');
    await node.report('ALIVE', { port: 0 }).catch(() => {});
    const watch = new Watch(discoveryClient(app));
    await watch.synced();
    const read = (path: string) => fetch(`http://${app.addresses.monitor}${path}`);
    expect((await read('/livez')).status).toBe(200);
    expect((await read('/readyz')).status).toBe(200);
    const metrics = await (await read('/metrics')).text();
    for (const line of [
      'nodes{state="PROVISIONING",site="lab"} 1',
      'nodes{state="CONFIGURED",site="lab"} 0',
      'reports_total{type="STARTUP",site="lab"} 1',
      'reports_total{type="PROVISIONED",site="lab"} 0',
      'reports_refused_total{reason="ARGUMENT_INVALID",site="lab"} 1',
      'reports_refused_total{reason="RATE_LIMITED",site="lab"} 0',
      'cycles_total{site="lab"} 0',
      'probe_errors_total{site="lab"} 0',
      'watchers{site="lab"} 1',
    ]) {
      expect(metrics).toContain(`\nslipway_discovery_${line}\n`);
    }
  });

  it('says on each listener that it is healthy', async () => {
    const app = await startDiscovery();
    for (const [address, name] of [
      [app.addresses.nodes, 'slipway.discovery.v1.NodeRegistryService'],
      [app.addresses.consumers, 'slipway.discovery.v1.NodeDiscoveryService'],
    ] as const) {
      expect(await healthOf(address, name)).toBe('SERVING');
    }
  });

  it('says in a sentence that a port is taken, and leaves nothing open', async () => {
    const app = await startDiscovery();
    const listen = `127.0.0.1:${await freePort()}`;
    const second = startDiscovery({ listen, listen_nodes: app.addresses.nodes });
    await expect(second).rejects.toThrow(
      `cannot listen on ${app.addresses.nodes}: another program listens there already`,
    );
    await startDiscovery({ listen });
  });

  it('does not start with a target that is neither an address nor a file', async () => {
    await expect(startDiscovery({ targets: ['127.0.0.1:1', '/no/such/file'] })).rejects.toThrow(
      /targets\[1\]: is neither host:port nor a file that can be read/,
    );
  });
});
