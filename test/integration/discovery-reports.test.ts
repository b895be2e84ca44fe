// Reports over the wire: what is refused and how it is said, whose lease it is, and what bounds there are.

import { once } from 'node:events';
import { connect } from 'node:net';
import { status } from '@grpc/grpc-js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { NodeReport } from '../../shared/gen/slipway/discovery/v1/registry.js';
import { parseHostPort } from '../../shared/net/addresses.js';
import {
  captured,
  discoveryClient,
  freePort,
  Reporter,
  registryClient,
  startAgent,
  startBlackHole,
  startDiscovery,
  Watch,
} from './discovery-support.js';

describe('a refusal', () => {
  it('names the fields that are wrong', async () => {
    const node = new Reporter(registryClient(await startDiscovery()), 'a.example', 7430);
    await expect(node.report('STARTUP', { identity: '-bad-', port: 0 })).rejects.toMatchObject({
      code: status.INVALID_ARGUMENT,
      reason: 'ARGUMENT_INVALID',
      violations: [{ field: 'identity' }, { field: 'port' }],
    });
    await expect(node.send(Buffer.from('junk'))).rejects.toMatchObject({
      code: status.INVALID_ARGUMENT,
      violations: [{ field: 'report' }],
    });
    await expect(node.send(Buffer.alloc(1_000_000))).rejects.toMatchObject({
      code: status.RESOURCE_EXHAUSTED,
    });
    await expect(node.report('STARTUP')).resolves.toBeDefined();
  });

  it('says when to come again, where the rate is exceeded; PROVISIONED is taken all the same', async () => {
    const client = registryClient(await startDiscovery({ max_reports_per_second: 1 }));
    await new Reporter(client, 'a.example', 1).report('STARTUP');
    const late = new Reporter(client, 'b.example', 2);
    await expect(late.report('STARTUP')).rejects.toMatchObject({
      code: status.RESOURCE_EXHAUSTED,
      reason: 'RATE_LIMITED',
      retryAfterMs: expect.any(Number),
    });
    await expect(new Reporter(client, 'c.example', 3).report('PROVISIONED')).resolves.toBeDefined();
  });

  it('of an address that may not be dialled says which and why', async () => {
    const client = registryClient(await startDiscovery({ node_networks: ['10.0.0.0/8'] }));
    const node = new Reporter(client, 'a.example', 1, '');
    await expect(node.report('STARTUP')).rejects.toMatchObject({
      code: status.FAILED_PRECONDITION,
      reason: 'ADDRESS_REFUSED',
      message: expect.stringContaining('127.0.0.1'),
    });
  });

  it('of a lower sequence, or of a used one, is final', async () => {
    const node = new Reporter(registryClient(await startDiscovery()), 'a.example', 1);
    await node.report('STARTUP', { sequence: 5n });
    const stale = { code: status.FAILED_PRECONDITION, reason: 'SEQUENCE_STALE' };
    await expect(node.report('ALIVE', { sequence: 4n })).rejects.toMatchObject(stale);
    const reused = { code: status.FAILED_PRECONDITION, reason: 'SEQUENCE_REUSED' };
    await expect(node.report('ALIVE', { sequence: 5n })).rejects.toMatchObject(reused);
  });

  it('keeps one source within its bounds', async () => {
    const settings = { max_reports_per_source: 3, max_nodes_per_source: 2 };
    const client = registryClient(await startDiscovery(settings));
    await new Reporter(client, 'a.example', 1).report('STARTUP');
    await new Reporter(client, 'b.example', 2).report('STARTUP');
    const third = new Reporter(client, 'c.example', 3);
    await expect(third.report('STARTUP')).rejects.toMatchObject({ reason: 'SOURCE_NODES_LIMIT' });
    await expect(third.send(Buffer.from('junk'))).rejects.toMatchObject({ reason: 'SOURCE_RATE_LIMITED' });
  });
});

it('a source that holds hundreds of connections open keeps nobody else out', async () => {
  const app = await startDiscovery();
  const { host, port } = parseHostPort(app.addresses.nodes);
  const idle = Array.from({ length: 600 }, () => connect({ host, port, localAddress: '127.0.0.2' }));
  onTestFinished(() => {
    for (const socket of idle) socket.destroy();
  });
  for (const socket of idle) socket.on('error', () => {});
  await Promise.all(idle.map((socket) => once(socket, 'connect')));
  const node = new Reporter(registryClient(app), 'a.example', 1);
  await expect(node.report('STARTUP')).resolves.toBeDefined();
});

it('the same report twice gets the same reply and is one event', async () => {
  const app = await startDiscovery();
  const node = new Reporter(registryClient(app), 'a.example', 1);
  const watch = new Watch(discoveryClient(app));
  await watch.synced();
  const bytes = NodeReport.encode(NodeReport.decode(Buffer.from(await captured(node)))).finish();
  const replies = [await node.send(bytes), await node.send(bytes), await node.send(bytes)];
  expect(replies[1]).toEqual(replies[0]);
  expect(replies[2]).toEqual(replies[0]);
  await node.report('SHUTDOWN', { sequence: 9n });
  expect(await watch.until((told) => told.length >= 3)).toEqual([
    'SYNCED',
    'STARTUP a.example 127.0.0.1:1',
    'SHUTDOWN a.example 127.0.0.1:1',
  ]);
});

describe('another boot under the name of a node', () => {
  it('is a conflict while that node answers, and takes its place once it does not', async () => {
    const app = await startDiscovery();
    const client = registryClient(app);
    const watch = new Watch(discoveryClient(app));
    let incumbent: Reporter | undefined;
    const agent = await startAgent(() => ({
      identity: 'a.example',
      bootId: incumbent?.bootId ?? '',
    }));
    incumbent = new Reporter(client, 'a.example', parseHostPort(agent.address).port);
    await incumbent.report('STARTUP');
    const newcomer = new Reporter(client, 'a.example', 7431, '127.0.0.2');
    await expect(newcomer.report('STARTUP')).resolves.toBeDefined();
    await watch.until((told) => told.includes(`CONFLICT a.example ${agent.address}`));
    const conflict = watch.received.at(-1)?.message;
    expect(conflict).toMatchObject({
      value: { node: { bootId: incumbent.bootId }, newcomer: { address: '127.0.0.2:7431' } },
    });
    await agent.stop(0);
    await newcomer.report('ALIVE');
    await watch.until((told) => told.includes('SIGHTED a.example 127.0.0.2:7431'));
  });

  it('takes its place after the timeout of a probe where a black hole is left of it', async () => {
    const app = await startDiscovery({ probe_timeout: '2s' });
    const client = registryClient(app);
    const watch = new Watch(discoveryClient(app));
    const hole = await startBlackHole();
    await new Reporter(client, 'a.example', hole).report('STARTUP');
    const started = performance.now();
    await new Reporter(client, 'a.example', 7431).report('STARTUP');
    expect(performance.now() - started).toBeLessThan(2000);
    await watch.until((told) => told.includes('STARTUP a.example 127.0.0.1:7431'));
  });

  it('is the next life of the same machine where it answers at the same address', async () => {
    const app = await startDiscovery();
    const client = registryClient(app);
    const watch = new Watch(discoveryClient(app));
    const next = new Reporter(client, 'a.example', 0);
    const agent = await startAgent(() => ({ identity: 'a.example', bootId: next.bootId }));
    const { port } = parseHostPort(agent.address);
    await new Reporter(client, 'a.example', port).report('STARTUP');
    await next.report('PROVISIONED', { port });
    await watch.until((told) => told.includes(`PROVISIONED a.example ${agent.address}`));
    expect(watch.told.some((event) => event.startsWith('CONFLICT'))).toBe(false);
  });
});

describe('a static target', () => {
  it('is found without a report, and again under its next boot', async () => {
    let bootId = '0b2b8a3e-8f43-4d2c-9a76-5f6f3c1d2e01';
    const agent = await startAgent(() => ({ identity: 'b.example', bootId }));
    const nobody = await freePort();
    const app = await startDiscovery({ targets: [agent.address, `127.0.0.1:${nobody}`] });
    const client = discoveryClient(app);
    const watch = new Watch(client);
    await watch.until((told) => told.includes(`SIGHTED b.example ${agent.address}`));
    bootId = '0b2b8a3e-8f43-4d2c-9a76-5f6f3c1d2e02';
    await new Promise<void>((resolve, reject) => {
      client.discover({}, (error, response) => {
        if (error === null && response.probed === 2) resolve();
        else reject(error ?? new Error(`probed ${response.probed}`));
      });
    });
    await watch.until(() =>
      watch.received.some(
        ({ message }) => message?.$case === 'event' && message.value.node?.bootId === bootId,
      ),
    );
  });

  it('has a version that anybody can show, whatever it says of itself', async () => {
    const bootId = '0b2b8a3e-8f43-4d2c-9a76-5f6f3c1d2e01';
    const version = `1\u001b[2J${'9'.repeat(500)}`;
    const agent = await startAgent(() => ({ identity: 'b.example', bootId, version }));
    const app = await startDiscovery({ targets: [agent.address] });
    const watch = new Watch(discoveryClient(app));
    await watch.until((told) => told.includes(`SIGHTED b.example ${agent.address}`));
    const message = watch.received.find((each) => each.message?.$case === 'event')?.message;
    expect(message).toMatchObject({ value: { node: { version: `1?[2J${'9'.repeat(123)}` } } });
  });

  it('is probed beside many others without a warning of Node.js', async () => {
    const warnings: string[] = [];
    const onWarning = (warning: Error) => warnings.push(warning.name);
    process.on('warning', onWarning);
    onTestFinished(() => void process.off('warning', onWarning));
    const connections: Promise<void>[] = [];
    const targets: string[] = [];
    for (let index = 0; index < 12; index++) {
      let connected = () => {};
      connections.push(new Promise((resolve) => (connected = resolve)));
      targets.push(`127.0.0.1:${await startBlackHole(connected)}`);
    }
    await startDiscovery({ targets });
    await Promise.all(connections);
    expect(warnings).not.toContain('MaxListenersExceededWarning');
  });
});
