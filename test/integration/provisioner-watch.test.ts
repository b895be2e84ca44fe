import { createServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DiscoveryClient } from '../../services/provisioner/sightings/discovery-client.js';
import { Watch } from '../../services/provisioner/sightings/watch.js';
import { insecureNodeCredentials } from '../../shared/grpc/credentials.js';
import { FakeClock } from '../fakes/fake-clock.js';
import { eventMessage, synced, wireNode } from '../fakes/fake-discovery.js';
import {
  isServing,
  metric,
  Site,
  sighting,
  snapshotOf,
  startDiscovery,
  startNodes,
} from './provisioner-support.js';

async function readiness(app: Awaited<ReturnType<Site['start']>>): Promise<string> {
  const response = await fetch(`http://${app.addresses.monitor}/readyz`);
  return `${response.status} ${await response.text()}`.trim();
}

describe('the watch of a discovery service', () => {
  it('asks for the configured components, from the beginning', async () => {
    const discovery = await startDiscovery();
    await new Site().start([discovery.address], { lifecycle_component: ['a', 'b'] });
    await discovery.watched(1);
    expect(discovery.watches).toEqual([
      { resume: undefined, filter: { components: ['a', 'b'], labels: {} } },
    ]);
  });

  it('comes back after a loss and resumes after the last event', async () => {
    const [site, discovery] = [new Site(), await startDiscovery()];
    const node = wireNode({ address: '192.0.2.1:1' });
    discovery.greet = ({ resume }) =>
      resume === undefined ? [eventMessage({ revision: 7n, node }), synced(7n)] : [synced(resume.revision)];
    await site.start([discovery.address]);
    await site.line(({ msg }) => msg === 'watching a discovery service');
    discovery.drop();
    await discovery.watched(2);
    expect(discovery.watches[1]?.resume).toEqual({ epoch: 'epoch-1', revision: 7n });
    discovery.send(eventMessage({ revision: 8n, node }));
    discovery.drop();
    await discovery.watched(3);
    expect(discovery.watches[2]?.resume).toEqual({ epoch: 'epoch-1', revision: 8n });
  });

  it('follows a service that was restarted through its new snapshot', async () => {
    const [site, discovery] = [new Site(), await startDiscovery()];
    const restarted = { epoch: 'epoch-2', node: wireNode({ address: '192.0.2.1:1' }) };
    discovery.greet = ({ resume }) =>
      resume === undefined
        ? [synced(7n)]
        : [eventMessage({ ...restarted, revision: 3n }), synced(3n, 'epoch-2')];
    await site.start([discovery.address]);
    await site.line(({ msg }) => msg === 'watching a discovery service');
    discovery.drop();
    await discovery.watched(2);
    expect(discovery.watches[1]?.resume).toEqual({ epoch: 'epoch-1', revision: 7n });
    discovery.send(eventMessage({ ...restarted, revision: 4n }));
    discovery.drop();
    await discovery.watched(3);
    expect(discovery.watches[2]?.resume).toEqual({ epoch: 'epoch-2', revision: 4n });
  });

  it('does not resume from a snapshot that was cut off', async () => {
    const discovery = await startDiscovery();
    discovery.greet = () => [eventMessage({ revision: 7n, node: wireNode({ address: '192.0.2.1:1' }) })];
    await new Site().start([discovery.address]);
    await discovery.watched(1);
    discovery.drop();
    await discovery.watched(2);
    expect(discovery.watches[1]?.resume).toBeUndefined();
  });

  it('counts and passes over what it cannot understand, and goes on', async () => {
    const [site, discovery, nodes] = [new Site(), await startDiscovery(), await startNodes()];
    const node = nodes.add('a.example.net');
    const app = await site.start([discovery.address]);
    await site.line(({ msg }) => msg === 'watching a discovery service');
    discovery.send(Buffer.from([0xff, 0xff, 0xff]));
    discovery.send(eventMessage({ node: wireNode({ identity: 'not an identity' }) }));
    discovery.send(eventMessage({ type: 42 as never }));
    discovery.send({ message: undefined });
    discovery.send(sighting(nodes, node));
    await node.called('Restart');
    expect(await metric(app, 'sightings_total', 'INVALID')).toBe(4);
    expect(await metric(app, 'discovery_connected')).toBe(1);
    expect(site.lines.filter(({ msg }) => msg.includes('passed over'))).toHaveLength(1);
  });

  it('is what the service is ready by', async () => {
    const [site, discovery] = [new Site(), await startDiscovery()];
    const { port } = discovery;
    discovery.stop();
    const app = await site.start([`127.0.0.1:${port}`], { monitor_port: await freePort() });
    await site.line(({ msg }) => msg.startsWith('cannot watch'));
    expect(await readiness(app)).toMatch(
      new RegExp(`^503 no discovery service is watched \\(127.0.0.1:${port}: connect ECONNREFUSED`),
    );
    expect(await isServing(app)).toBe(false);
    const back = await startDiscovery(port);
    await site.line(({ msg }) => msg === 'watching a discovery service');
    expect(await readiness(app)).toBe('200 ok');
    expect(await isServing(app)).toBe(true);
    expect(await metric(app, 'discovery_connected')).toBe(1);
    back.stop();
    await site.line(({ msg }) => msg.startsWith('lost'));
    expect(await isServing(app)).toBe(false);
  });

  it('of several services stands for all while one of them is there', async () => {
    const [site, one, other, nodes] = [
      new Site(),
      await startDiscovery(),
      await startDiscovery(),
      await startNodes(),
    ];
    const node = nodes.add('a.example.net');
    other.greet = snapshotOf(nodes, node);
    one.stop();
    const app = await site.start([one.address, other.address]);
    await node.called('Restart');
    expect(await metric(app, 'discovery_connected')).toBe(1);
  });

  it('asks the incumbent before a newcomer that another service names takes over', async () => {
    const [site, one, other, nodes] = [
      new Site(),
      await startDiscovery(),
      await startDiscovery(),
      await startNodes(),
    ];
    const [incumbent, newcomer] = [nodes.add('a.example.net'), nodes.add('a.example.net')];
    newcomer.bootNumber = 9;
    one.greet = snapshotOf(nodes, incumbent);
    await site.start([one.address, other.address]);
    await site.line(({ msg }) => msg === 'run finished: PROVISIONED');
    await other.watched(1);
    other.send(sighting(nodes, newcomer));
    const line = await site.line(({ msg }) => msg === 'two machines speak in the name of one node');
    expect(line).toMatchObject({
      identity: 'a.example.net',
      address: nodes.addressOf(incumbent),
      newcomer_address: nodes.addressOf(newcomer),
    });
    expect(newcomer.calls).toEqual([]);
  });
});

it('a service that takes the connection and says nothing is given up, and its socket with it', async () => {
  const silent = createServer();
  const connected = new Promise<Socket>((resolve) => silent.once('connection', resolve));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void silent.close());
  const address = silent.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const clock = new FakeClock();
  const lost = new Promise<string>((resolve) => {
    const watch = new Watch({
      discovery: `127.0.0.1:${port}`,
      components: [],
      connect: (where) => new DiscoveryClient(where, insecureNodeCredentials()),
      listener: {
        event: () => {},
        skipped: () => {},
        synced: () => {},
        lost: (_discovery, why) => resolve(why),
      },
      clock,
      random: () => 0.5,
    });
    onTestFinished(() => watch.stop());
    void watch.run();
  });
  const socket = await connected;
  socket.on('error', () => {});
  const closed = new Promise((resolve) => socket.resume().once('close', resolve));
  await clock.advance(10_000);
  expect(await lost).toBe('it did not answer within 10s');
  await closed;
});

async function freePort(): Promise<number> {
  const holder = await startDiscovery();
  holder.stop();
  return holder.port;
}
