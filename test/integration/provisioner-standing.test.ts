// What operators see of the provisioner and of single hosts, over the contract.

import { status } from '@grpc/grpc-js';
import { describe, expect, it, vi } from 'vitest';
import { NodeEventType } from '../../shared/gen/slipway/discovery/v1/discovery.js';
import { eventMessage, wireNode } from '../fakes/fake-discovery.js';
import { boot } from '../fakes/node-events.js';
import { contractClient, type Message } from './provisioner-client.js';
import { arrival, Site, sighting, snapshotOf, startDiscovery, startNodes } from './provisioner-support.js';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Machines that are busy with other things take their time. */
function eventually(check: () => Promise<void> | void): Promise<void> {
  return vi.waitFor(check, { timeout: 20_000 });
}

function seconds(duration: Message): number {
  return Number(duration.seconds) + duration.nanos / 1e9;
}

/** Seconds from now; negative where it has been. */
function away(timestamp: Message): number {
  return seconds(timestamp) - Date.now() / 1000;
}

describe('GetStatus', () => {
  it('tells how a provisioner does that works', async () => {
    const [site, discovery, nodes] = [new Site(), await startDiscovery(), await startNodes()];
    const [good, bad] = [nodes.add('good.example.net'), nodes.add('bad.example.net')];
    bad.answers.set('Identify', { provisioning: false });
    discovery.greet = snapshotOf(nodes, good, bad);
    const app = await site.start([discovery.address, '127.0.0.1:1'], { workers: 7 });
    for (const node of [good, bad]) {
      await site.line(({ msg, identity }) => msg.startsWith('run finished') && identity === node.identity);
    }
    good.bootNumber += 1;
    discovery.send(arrival(nodes, good));
    await site.line(({ msg }) => msg.startsWith('node came up'));
    await eventually(() => expect(site.lines.some(({ msg }) => msg.startsWith('cannot watch'))).toBe(true));

    const told = await contractClient(app)('GetStatus');
    expect(told).toMatchObject({
      site: 'default',
      provisioner: expect.stringMatching(uuid),
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      ready: true,
      not_ready_because: '',
      pause: { paused: false, by_operator: false, not_leader: false, since: null, by: '', message: '' },
      queue: { entries: 0, limit: 50_000, oldest: null, dropped: '0' },
      workers: { busy: 0, total: 7 },
      hosts: { queued: 0, running: 0, held: 1, backing_off: 0 },
      outcomes: [
        { outcome: 'OUTCOME_FAILED', reason: 'NOT_PROVISIONING', count: '1' },
        { outcome: 'OUTCOME_PROVISIONED', reason: '', count: '1' },
      ],
      confirmations: { pending: 0, confirmed: '1', missed: '0' },
      breaker: { open: false, failures: 0, limit: 20, since: null, next_probe_at: null, reason: '' },
      discoveries: [
        {
          address: discovery.address,
          connected: true,
          epoch: 'epoch-1',
          interval: { seconds: '60', nanos: 0 },
          skipped: '0',
          last_error: '',
        },
        {
          address: '127.0.0.1:1',
          connected: false,
          epoch: '',
          revision: '0',
          interval: null,
          last_error: expect.stringContaining('ECONNREFUSED'),
        },
      ],
      credentials: [],
    });
    expect(away(told.started_at)).toBeLessThan(0);
    const { sightings, runs, provisioned, failed, confirmed } = told.rates;
    expect(sightings).toBe(runs);
    expect([provisioned, failed, confirmed]).toEqual([runs / 2, runs / 2, runs / 2]);
    expect(Number(told.discoveries[0].revision)).toBeGreaterThan(0);
  });

  it('says why it is not ready, how long the oldest waits, and who paused it', async () => {
    const [site, discovery, nodes] = [new Site(), await startDiscovery(), await startNodes()];
    const node = nodes.add('a.example.net');
    node.delays.set('GetInventory', new Promise(() => {}));
    discovery.greet = snapshotOf(nodes, node);
    const app = await site.start([discovery.address]);
    const call = contractClient(app);
    await node.called('GetInventory');
    expect(await call('GetStatus')).toMatchObject({ workers: { busy: 1 }, hosts: { running: 1 } });
    await call('Pause', { message: 'new switch' });
    await site.line(({ msg }) => msg === 'run finished: CANCELLED');
    const told = await call('GetStatus');
    expect(told.pause).toMatchObject({
      paused: true,
      by_operator: true,
      by: '127.0.0.1',
      message: 'new switch',
    });
    expect(told.queue.entries).toBe(1);
    expect(seconds(told.queue.oldest)).toBeGreaterThan(0);
    discovery.stop();
    await site.line(({ msg }) => msg.startsWith('lost a discovery'));
    expect(await call('GetStatus')).toMatchObject({
      ready: false,
      not_ready_because: expect.stringContaining('no discovery service is watched'),
      discoveries: [{ connected: false, last_error: expect.stringMatching(/./) }],
    });
  });
});

/** A provisioner whose one worker is kept by a node that does not answer GetInventory. */
async function startBusy(settings: Readonly<Record<string, unknown>> = {}) {
  const [site, discovery, nodes] = [new Site(), await startDiscovery(), await startNodes()];
  const busy = nodes.add('b0.example.net');
  let answer = () => {};
  busy.delays.set('GetInventory', new Promise((resolve) => (answer = resolve)));
  discovery.greet = snapshotOf(nodes, busy);
  const app = await site.start([discovery.address], { workers: 1, ...settings });
  await busy.called('GetInventory');
  return { site, discovery, nodes, busy, app, call: contractClient(app), answer: () => answer() };
}

describe('ListHosts', () => {
  it('pages by identity, with filters, whatever comes and goes in between', async () => {
    const { discovery, call, busy } = await startBusy();
    const nodeOf = (short: string) =>
      wireNode({ identity: `${short}.example.net`, certificateSha256: Buffer.alloc(32, 7) });
    for (const short of ['b1', 'a2', 'a1', 'c1', 'c2']) discovery.send(eventMessage({ node: nodeOf(short) }));
    await eventually(async () => expect((await call('ListHosts')).hosts).toHaveLength(6));
    const list = async (request: object) => {
      const { hosts, next_page_token: token } = await call('ListHosts', request);
      const names: string[] = hosts.map(({ identity }: Message) => identity.replace('.example.net', ''));
      return { names, token };
    };

    const first = await list({ page_size: 2 });
    expect(first.names).toEqual(['a1', 'a2']);
    discovery.send(eventMessage({ node: nodeOf('a0') }));
    discovery.send(eventMessage({ type: NodeEventType.SHUTDOWN, node: nodeOf('a2') }));
    discovery.send(eventMessage({ node: nodeOf('b00') }));
    await eventually(async () => expect((await list({})).names).toContain('b00'));
    const second = await list({ page_size: 3, page_token: first.token });
    expect(second.names).toEqual(['b0', 'b00', 'b1']);
    const third = await list({ page_size: 3, page_token: second.token });
    expect(third).toEqual({ names: ['c1', 'c2'], token: '' });

    expect((await list({ identity_prefix: 'C' })).names).toEqual(['c1', 'c2']);
    expect((await list({ identity_prefix: 'b', page_token: first.token })).names).toEqual([
      'b0',
      'b00',
      'b1',
    ]);
    expect((await list({ states: ['HOST_STATE_RUNNING', 'HOST_STATE_HELD'] })).names).toEqual(['b0']);
    expect(await list({ states: ['HOST_STATE_RELEASED'] })).toEqual({ names: [], token: '' });
    expect((await list({ states: ['HOST_STATE_QUEUED'], page_size: 5000 })).names).toHaveLength(6);

    const { hosts } = await call('ListHosts', { identity_prefix: 'b' });
    expect(hosts[0]).toMatchObject({
      identity: busy.identity,
      state: 'HOST_STATE_RUNNING',
      state_until: null,
      queue_place: 0,
      run_id: expect.stringMatching(uuid),
      step: 'STEP_GET_INVENTORY',
      last_outcome: 'OUTCOME_UNSPECIFIED',
    });
    expect(hosts[2]).toMatchObject({
      identity: 'b1.example.net',
      state: 'HOST_STATE_QUEUED',
      address: '127.0.0.1:1',
      boot_id: boot(1),
      version: '',
      certificate_sha256: Buffer.alloc(32, 7),
      discovery: discovery.address,
      queue_place: 1,
      run_id: '',
      step: 'STEP_UNSPECIFIED',
      failures_in_a_row: 0,
    });
    for (const time of ['state_since', 'admitted_at', 'last_sighted_at']) {
      expect(Math.abs(away(hosts[2][time]))).toBeLessThan(60);
    }
  });

  it('refuses what is no page, token or state', async () => {
    const { call } = await startBusy();
    const wrong = [
      [{ page_size: -1 }, 'page_size'],
      [{ page_token: 'x' }, 'page_token'],
      [{ states: ['HOST_STATE_UNSPECIFIED'] }, 'states.0'],
      [{ states: ['HOST_STATE_HELD', 99] }, 'states.1'],
      [{ states: Array.from({ length: 101 }, () => 99) }, 'states'],
      [{ identity_prefix: 'a'.repeat(254) }, 'identity_prefix'],
    ] as const;
    for (const [request, field] of wrong) {
      await expect(call('ListHosts', request)).rejects.toMatchObject({
        code: status.INVALID_ARGUMENT,
        reason: 'ARGUMENT_INVALID',
        violations: [{ field, description: expect.stringMatching(/./) }],
      });
    }
  });
});

describe('GetHost', () => {
  it('tells what a run waits for, and who waits behind it', async () => {
    const { discovery, nodes, busy, call, site, answer } = await startBusy();
    const next = nodes.add('next.example.net');
    discovery.send(sighting(nodes, next));
    await eventually(async () => expect((await call('GetStatus')).queue.entries).toBe(1));
    const { host, waits, runs } = await call('GetHost', { identity: busy.identity.toUpperCase() });
    expect(host).toMatchObject({ identity: busy.identity, state: 'HOST_STATE_RUNNING' });
    expect(waits).toHaveLength(1);
    expect(waits[0]).toMatchObject({
      cause: 'WAIT_CAUSE_NODE',
      message: expect.stringMatching(/^The node has to answer GetInventory, called .* ago, attempt 1 of 5$/),
    });
    expect(away(waits[0].until)).toBeGreaterThan(0);
    expect(runs).toMatchObject([
      {
        run_id: host.run_id,
        boot_id: busy.bootId,
        outcome: 'OUTCOME_UNSPECIFIED',
        last_step: 'STEP_GET_INVENTORY',
        confirmation: 'CONFIRMATION_UNSPECIFIED',
        confirmation_at: null,
      },
    ]);
    expect(BigInt(runs[0].fence)).toBeGreaterThan(0n);
    expect(await call('GetHost', { identity: next.identity })).toMatchObject({
      host: { queue_place: 1 },
      waits: [{ cause: 'WAIT_CAUSE_TURN', message: expect.stringContaining('the only worker is busy') }],
      runs: [],
    });

    answer();
    await next.called('Restart');
    await site.line(({ msg, identity }) => msg.startsWith('run finished') && identity === next.identity);
    const held = await call('GetHost', { identity: busy.identity });
    expect(held.host).toMatchObject({
      state: 'HOST_STATE_HELD',
      version: '1.0.0',
      last_outcome: 'OUTCOME_PROVISIONED',
    });
    expect(held.waits.map(({ cause }: Message) => cause)).toEqual([
      'WAIT_CAUSE_HOLD',
      'WAIT_CAUSE_CONFIRMATION',
    ]);
    expect(held.waits[0].until).toEqual(held.host.state_until);
    expect(held.runs[0]).toMatchObject({
      outcome: 'OUTCOME_PROVISIONED',
      last_step: 'STEP_RESTART',
      unsettled: false,
      confirmation: 'CONFIRMATION_PENDING',
      confirmation_at: held.waits[1].until,
    });
    expect(away(held.waits[1].until)).toBeGreaterThan(60);
    busy.bootNumber += 1;
    discovery.send(arrival(nodes, busy));
    await site.line(({ msg }) => msg.startsWith('node came up'));
    const { runs: confirmed } = await call('GetHost', { identity: busy.identity });
    expect(confirmed).toMatchObject([{ confirmation: 'CONFIRMATION_CONFIRMED' }]);
    expect(away(confirmed[0].confirmation_at)).toBeLessThan(1);
  });

  it('tells of a node that fails how, what to do, and when it is tried again', async () => {
    const [site, discovery, nodes] = [new Site(), await startDiscovery(), await startNodes()];
    site.write('helper.sh', '#!/bin/sh\necho no such rack >&2\nexit 3\n');
    const node = nodes.add('a.example.net');
    const app = await site.start([discovery.address]);
    const call = contractClient(app);
    await site.line(({ msg }) => msg.startsWith('watching'));
    for (let runs = 1; runs <= 3; runs++) {
      discovery.send(sighting(nodes, node));
      await site.line(({ failures_in_row: failures }) => failures === runs);
      const { host, waits, runs: told } = await call('GetHost', { identity: node.identity });
      const failed = {
        failures_in_a_row: runs,
        last_outcome: 'OUTCOME_FAILED',
        last_reason: 'HELPER_EXIT',
        last_message: expect.stringContaining('no such rack'),
        address: nodes.addressOf(node),
        boot_id: node.bootId,
        version: '1.0.0',
        discovery: discovery.address,
      };
      expect(told).toHaveLength(runs);
      expect(waits[0].message).toMatch(
        /failed at HELPER: HELPER_EXIT: .*no such rack.*What to do: Mend the helper/s,
      );
      if (runs < 3) {
        expect(host).toMatchObject({ state: 'HOST_STATE_RELEASED', state_until: null, ...failed });
        expect(waits).toMatchObject([{ cause: 'WAIT_CAUSE_SIGHTING', until: null }]);
      } else {
        expect(host).toMatchObject({ state: 'HOST_STATE_BACKING_OFF', ...failed });
        expect(waits).toMatchObject([{ cause: 'WAIT_CAUSE_BACKOFF', until: host.state_until }]);
        expect(away(host.state_until)).toBeGreaterThan(30);
      }
    }
    expect((await call('GetStatus')).breaker).toMatchObject({
      open: false,
      failures: 3,
      reason: 'HELPER_EXIT',
      message: expect.stringContaining('no such rack'),
    });
  });

  it('tells who waits for the helper, and who for a place to run it in', async () => {
    const [site, discovery, nodes] = [new Site(), await startDiscovery(), await startNodes()];
    site.write('helper.sh', '#!/bin/sh\nexec sleep 30\n');
    const fleet = [nodes.add('a.example.net'), nodes.add('b.example.net')];
    discovery.greet = snapshotOf(nodes, ...fleet);
    const app = await site.start([discovery.address], { helper_concurrency: 1 });
    const call = contractClient(app);
    const causes = async () => {
      const all = await Promise.all(fleet.map(({ identity }) => call('GetHost', { identity })));
      return all.map(({ waits }) => waits[0]?.cause).sort();
    };
    await eventually(async () =>
      expect(await causes()).toEqual(['WAIT_CAUSE_HELPER', 'WAIT_CAUSE_HELPER_SLOT']),
    );
  });

  it('tells of a host that left the queue what is known of it', async () => {
    const { discovery, call } = await startBusy();
    const node = wireNode({ identity: 'gone.example.net' });
    discovery.send(eventMessage({ node }));
    discovery.send(eventMessage({ type: NodeEventType.EXPIRED, node }));
    await eventually(async () =>
      expect(await call('GetHost', { identity: 'gone.example.net' })).toMatchObject({
        host: { state: 'HOST_STATE_RELEASED', address: '127.0.0.1:1', queue_place: 0 },
        waits: [{ cause: 'WAIT_CAUSE_SIGHTING', message: expect.stringContaining('not heard of') }],
        runs: [],
      }),
    );
  });

  it('knows nothing of a node that was never sighted, and says what may keep it out', async () => {
    const { call } = await startBusy();
    await call('Pause', { message: '' });
    await expect(call('GetHost', { identity: 'nobody.example.net' })).rejects.toMatchObject({
      code: status.NOT_FOUND,
      reason: 'HOST_NOT_FOUND',
      message: expect.stringMatching(/nobody\.example\.net.*ask discovery.*paused/),
    });
    for (const identity of ['', 'a b']) {
      await expect(call('GetHost', { identity })).rejects.toMatchObject({
        code: status.INVALID_ARGUMENT,
        violations: [{ field: 'identity' }],
      });
    }
  });
});
