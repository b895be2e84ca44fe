import { cpSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { credentials, status } from '@grpc/grpc-js';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { EventType, ProvisioningEventServiceClient } from '../../shared/gen/slipway/provisioner/v1/events.js';
import { callUnary } from '../../shared/grpc/call.js';
import {
  arrival,
  metric,
  operator,
  Site,
  sighting,
  snapshotOf,
  startDiscovery,
  startNodes,
} from './provisioner-support.js';

const timeoutMs = 5_000;

describe('a provisioner', () => {
  it('provisions every node of the snapshot, and hears that they came up', async () => {
    const [site, discovery, nodes] = [new Site(), await startDiscovery(), await startNodes()];
    const fleet = ['a', 'b', 'c'].map((name) => nodes.add(`${name}.example.net`));
    discovery.greet = snapshotOf(nodes, ...fleet);
    const app = await site.start([discovery.address]);
    for (const node of fleet) {
      await site.line(
        ({ msg, identity }) => msg === 'run finished: PROVISIONED' && identity === node.identity,
      );
      node.bootNumber += 1;
      discovery.send(arrival(nodes, node));
      await site.line(({ msg, identity }) => msg.startsWith('node came up') && identity === node.identity);
      expect(node.calls).toEqual(['Identify', 'GetInventory', 'Configure', 'Restart']);
      expect(JSON.parse(node.configurationJson)).toEqual({ 'plugin.choria.server.provision': 'false' });
    }
    expect(await metric(app, 'runs_total', 'PROVISIONED')).toBe(3);
    expect(await metric(app, 'confirmed_total')).toBe(3);
    expect(await metric(app, 'hosts', 'HELD')).toBe(3);
    expect(await metric(app, 'rpc_duration_seconds_count', 'Configure')).toBe(3);
    expect(await metric(app, 'helper_duration_seconds_count')).toBe(3);
    const ofRuns = site.lines.filter(({ level, run_id }) => level === 'info' && run_id !== undefined);
    const ends = ofRuns.filter(({ msg }) => msg.startsWith('run finished'));
    expect(ends).toHaveLength(3);
    // The other line says that the node came up.
    expect(ofRuns).toHaveLength(6);
  });

  it('does not start where its port is taken, and leaves nothing behind', async () => {
    const site = new Site();
    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void holder.close());
    const address = holder.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    await expect(site.start(['127.0.0.1:1'], { listen: `127.0.0.1:${port}` })).rejects.toThrow(
      /another program/,
    );
  });

  it('does not start where it could keep nothing', async () => {
    const site = new Site();
    site.write('file', '');
    await expect(site.start(['127.0.0.1:1'], { data_dir: `${site.folder}/file/data` })).rejects.toThrow(
      /data_dir .* cannot be written to/,
    );
  });

  it('keeps its events over a restart, and gives them to whoever asks', async () => {
    const [site, discovery, nodes] = [new Site(), await startDiscovery(), await startNodes()];
    const node = nodes.add('a.example.net');
    discovery.greet = snapshotOf(nodes, node);
    const first = await site.start([discovery.address]);
    await site.line(({ msg }) => msg === 'run finished: PROVISIONED');
    await first.stop();
    const second = await site.start(['127.0.0.1:1']);
    const client = new ProvisioningEventServiceClient(
      second.addresses.api ?? '',
      credentials.createInsecure(),
    );
    onTestFinished(() => client.close());
    const request = { pageSize: 1000, pageToken: '', filter: undefined, newestFirst: false };
    const { events, gaps, logId } = await callUnary(client.listEvents.bind(client), request, { timeoutMs });
    expect(gaps).toEqual([]);
    expect(events.map(({ sequence }) => Number(sequence))).toEqual(events.map((_, index) => index + 1));
    const types = events.map(({ type }) => type);
    expect(types.slice(0, 2)).toEqual([EventType.HOST_QUEUED, EventType.RUN_STARTED]);
    expect(types).toContain(EventType.RUN_FINISHED);
    expect(await metric(second, 'events_log_sequence')).toBeGreaterThanOrEqual(events.length);
    const asked = operator(second);
    const { log } = await callUnary(asked.getStatus.bind(asked), {}, { timeoutMs });
    expect(log).toMatchObject({ logId, first: 1n, failing: false, lost: 0n });
  });

  it('goes on under another id where an older copy of its events was put back', async () => {
    const site = new Site();
    const folder = join(site.folder, 'data/events');
    const copy = join(site.folder, 'copy');
    /** Starts, has two events happen, and stops. @returns the log as it is then */
    const pass = async () => {
      const app = await site.start(['127.0.0.1:1']);
      const client = operator(app);
      await callUnary(client.pause.bind(client), { message: '' }, { timeoutMs });
      await callUnary(client.resume.bind(client), { message: '' }, { timeoutMs });
      const written = await vi.waitFor(async () => {
        const { log } = await callUnary(client.getStatus.bind(client), {}, { timeoutMs });
        expect(log).toMatchObject({ uncommittedBytes: 0n });
        return log;
      });
      await app.stop();
      return written;
    };
    const first = await pass();
    cpSync(folder, copy, { recursive: true });
    const second = await pass();
    expect(second).toMatchObject({ logId: first?.logId, last: 4n });
    rmSync(folder, { recursive: true });
    cpSync(copy, folder, { recursive: true });
    const third = await pass();
    expect(third).toMatchObject({ first: 1n, last: 4n });
    expect(third?.logId).not.toBe(first?.logId);
    const said = await site.line(({ level, msg }) => level === 'warn' && /has fallen back/.test(msg));
    expect(said).toMatchObject({ last: 2, was_at: 4, log_id: third?.logId });
  });
});

describe('a pause', () => {
  it('stops the runs, survives a restart, and ends with a cycle that brings who was not admitted', async () => {
    const [site, discovery, nodes] = [new Site(), await startDiscovery(), await startNodes()];
    const [running, late] = [nodes.add('running.example.net'), nodes.add('late.example.net')];
    let answer = () => {};
    running.delays.set('GetInventory', new Promise((resolve) => (answer = resolve)));
    discovery.greet = snapshotOf(nodes, running);
    const first = await site.start([discovery.address]);
    await running.called('GetInventory');

    const client = operator(first);
    const paused = await callUnary(client.pause.bind(client), { message: 'maintenance' }, { timeoutMs });
    expect(paused.pause).toMatchObject({
      paused: true,
      byOperator: true,
      by: '127.0.0.1',
      message: 'maintenance',
    });
    await site.line(({ msg }) => msg === 'run finished: CANCELLED');
    answer();
    discovery.send(sighting(nodes, late));
    await vi.waitFor(async () => expect(await metric(first, 'sightings_total')).toBe(2));
    expect(await metric(first, 'hosts', 'QUEUED')).toBe(1);
    await first.stop();

    running.delays.clear();
    discovery.greet = snapshotOf(nodes, running, late);
    const second = await site.start([discovery.address]);
    await discovery.watched(2);
    expect(await metric(second, 'paused')).toBe(1);
    const again = operator(second);
    const resumed = await callUnary(again.resume.bind(again), { message: '' }, { timeoutMs });
    expect(resumed.pause).toMatchObject({ paused: false, since: undefined });
    await discovery.asked(1);
    for (const node of [running, late]) discovery.send(sighting(nodes, node));
    await Promise.all([running.called('Restart'), late.called('Restart')]);
    expect(running.calls.filter((call) => call === 'Configure')).toHaveLength(1);
  });

  it('takes no message that is too long', async () => {
    const app = await new Site().start(['127.0.0.1:1']);
    const client = operator(app);
    const call = callUnary(client.pause.bind(client), { message: 'x'.repeat(1025) }, { timeoutMs });
    await expect(call).rejects.toMatchObject({ code: status.INVALID_ARGUMENT, reason: 'ARGUMENT_INVALID' });
    expect(await metric(app, 'paused')).toBe(0);
  });
});

describe('a stop', () => {
  it('cancels who is before the point of no return, and finishes who is past it', async () => {
    const [site, discovery, nodes] = [new Site(), await startDiscovery(), await startNodes()];
    const [early, late] = [nodes.add('early.example.net'), nodes.add('late.example.net')];
    let answer = () => {};
    early.delays.set('GetInventory', new Promise(() => {}));
    late.delays.set('Configure', new Promise((resolve) => (answer = resolve)));
    discovery.greet = snapshotOf(nodes, early, late);
    const app = await site.start([discovery.address]);
    await Promise.all([early.called('GetInventory'), late.called('Configure')]);
    const stopped = app.stop();
    await site.line(({ msg, identity }) => msg === 'run finished: CANCELLED' && identity === early.identity);
    answer();
    await stopped;
    expect(late.calls).toEqual(['Identify', 'GetInventory', 'Configure', 'Restart']);
    await site.line(({ msg, identity }) => msg === 'run finished: PROVISIONED' && identity === late.identity);
  });
});
