// What operators have done, over the contract: by a client that was made from the .proto files, on fake and mock nodes.

import { status } from '@grpc/grpc-js';
import { describe, expect, it } from 'vitest';
import { callUnary } from '../../shared/grpc/call.js';
import { startMockNode, temporaryFolder } from './mock-node-support.js';
import { contractClient } from './provisioner-client.js';
import { metric, operator, Site, snapshotOf, startDiscovery, startNodes } from './provisioner-support.js';

const nowhere = ['127.0.0.1:1'];

describe('ProvisionHost and ReprovisionHost', () => {
  it('take a node of which only the address is known through its life', async () => {
    const site = new Site();
    const dir = temporaryFolder();
    site.write('secret', 's3cret\n');
    const mock = await startMockNode({ flags: ['--dir', dir, '--secret-file', `${site.folder}/secret`] });
    const node = mock.swarm.node(0);
    const identity = 'web-1.example.net';
    const address = `localhost:${mock.port}`;
    const app = await site.start(nowhere, { token: ['newer', 's3cret'], hold: '1h' });
    const call = contractClient(app);

    const asked = await call('ProvisionHost', { identity: identity.toUpperCase(), address });
    expect(asked.host).toMatchObject({
      identity,
      state: 'HOST_STATE_RUNNING',
      address: `127.0.0.1:${mock.port}`,
      discovery: 'operator',
    });
    await site.line(({ msg }) => msg === 'run finished: PROVISIONED');
    // It reports nowhere, so that it is asked.
    await site.line(({ msg }) => msg.startsWith('node came up'));
    expect(node?.phase).toBe('CONFIGURED');
    await expect(call('ProvisionHost', { identity })).rejects.toMatchObject({
      code: status.FAILED_PRECONDITION,
      reason: 'NOT_PROVISIONING',
    });

    const answer = await call('ReprovisionHost', { identity });
    expect(answer).toMatchObject({
      run_id: expect.stringMatching(/^[0-9a-f]{8}-/),
      message: expect.any(String),
    });
    expect(Number(answer.restarting_in.seconds)).toBeLessThan(5);
    await expect.poll(() => node?.phase, { timeout: 20_000 }).toBe('PROVISIONING');
    await expect(call('ReprovisionHost', { identity })).rejects.toMatchObject({
      code: status.FAILED_PRECONDITION,
      reason: 'PROVISIONING',
    });

    // It is held, and is run again only because it is in provisioning mode.
    await call('ProvisionHost', { identity });
    await expect.poll(() => metric(app, 'runs_total', 'PROVISIONED'), { timeout: 20_000 }).toBe(2);
    const said = site.lines.filter(({ by }) => by === '127.0.0.1').map(({ msg }) => msg);
    expect(said).toEqual([
      'host is to be provisioned, as an operator wants',
      'node goes back into provisioning mode, as an operator wants',
      'host is to be provisioned, as an operator wants',
    ]);
  });

  it('say what is wrong with what they are asked', async () => {
    const [site, nodes] = [new Site(), await startNodes()];
    const node = nodes.add('a.example.net');
    const call = contractClient(await site.start(nowhere, { node_networks: ['127.1.0.0/16'] }));
    const address = nodes.addressOf(node);
    const refused = (request: object, rpc = 'ProvisionHost') => expect(call(rpc, request)).rejects;

    await refused({ identity: '' }).toMatchObject({
      code: status.INVALID_ARGUMENT,
      violations: [{ field: 'identity', description: 'is missing' }],
    });
    await refused({ identity: 'a', address: 'nonsense' }).toMatchObject({
      code: status.INVALID_ARGUMENT,
      violations: [{ field: 'address', description: expect.stringContaining('has no port') }],
    });
    await refused({ identity: 'a', address: '127.2.0.1:7430' }).toMatchObject({
      code: status.INVALID_ARGUMENT,
      violations: [{ field: 'address', description: expect.stringContaining('node_networks') }],
    });
    for (const rpc of ['ProvisionHost', 'ReprovisionHost']) {
      await refused({ identity: 'a.example.net' }, rpc).toMatchObject({ code: status.NOT_FOUND });
      await refused({ identity: 'b.example.net', address }, rpc).toMatchObject({
        code: status.FAILED_PRECONDITION,
        reason: 'IDENTITY_MISMATCH',
      });
      await refused({ identity: 'a.example.net', address: '127.1.0.1:1' }, rpc).toMatchObject({
        code: status.UNAVAILABLE,
        reason: 'UNREACHABLE',
      });
    }
    await refused({ identity: 'a.example.net', address }, 'ReprovisionHost').toMatchObject({
      code: status.FAILED_PRECONDITION,
      reason: 'PROVISIONING',
    });
    await call('Pause', {});
    await refused({ identity: 'a.example.net', address }).toMatchObject({
      code: status.FAILED_PRECONDITION,
      reason: 'PAUSED',
    });
    expect(node.calls).not.toContain('GetInventory');
  });

  it('do not fit into a full queue, and leave a run that goes on alone', async () => {
    const [site, discovery, nodes] = [new Site(), await startDiscovery(), await startNodes()];
    const [busy, queued, late] = ['busy', 'queued', 'late'].map((name) => nodes.add(`${name}.example.net`));
    if (!busy || !queued || !late) throw new Error('no nodes');
    busy.delays.set('GetInventory', new Promise(() => {}));
    discovery.greet = snapshotOf(nodes, busy, queued);
    const call = contractClient(await site.start([discovery.address], { workers: 1, queue_limit: 1 }));
    await busy.called('GetInventory');
    await expect(
      call('ProvisionHost', { identity: late.identity, address: nodes.addressOf(late) }),
    ).rejects.toMatchObject({ code: status.RESOURCE_EXHAUSTED, reason: 'QUEUE_FULL' });
    expect(late.calls).toEqual([]);
    const { host } = await call('ProvisionHost', { identity: busy.identity });
    expect(host).toMatchObject({ state: 'HOST_STATE_RUNNING', step: 'STEP_GET_INVENTORY' });
    await expect(call('ReprovisionHost', { identity: busy.identity })).rejects.toMatchObject({
      code: status.FAILED_PRECONDITION,
      reason: 'PROVISIONING',
    });
    expect(busy.calls).toEqual(['Identify', 'GetInventory']);
  });
});

describe('ReleaseHost', () => {
  it('cancels a run, and waits for one that is past its point of no return', async () => {
    const [site, discovery, nodes] = [new Site(), await startDiscovery(), await startNodes()];
    const [early, late] = [nodes.add('early.example.net'), nodes.add('late.example.net')];
    early.delays.set('GetInventory', new Promise(() => {}));
    let answer = () => {};
    late.delays.set('Configure', new Promise((resolve) => (answer = resolve)));
    discovery.greet = snapshotOf(nodes, early, late);
    const app = await site.start([discovery.address]);
    const call = contractClient(app);
    await Promise.all([early.called('GetInventory'), late.called('Configure')]);

    const cancelled = await call('ReleaseHost', { identity: early.identity });
    expect(cancelled).toMatchObject({ previous_state: 'HOST_STATE_RUNNING', outcome: 'OUTCOME_CANCELLED' });
    const client = operator(app);
    const impatient = callUnary(
      client.releaseHost.bind(client),
      { identity: late.identity },
      { timeoutMs: 100 },
    );
    await expect(impatient).rejects.toMatchObject({ code: status.DEADLINE_EXCEEDED });
    answer();
    // The release happens all the same.
    await expect.poll(() => metric(app, 'hosts')).toBe(0);
    await site.line(({ msg, identity }) => msg === 'run finished: PROVISIONED' && identity === late.identity);
    await expect(call('ReleaseHost', { identity: late.identity })).rejects.toMatchObject({
      code: status.NOT_FOUND,
      reason: 'HOST_NOT_FOUND',
    });
    await site.line(({ msg, identity }) => msg.startsWith('host is released') && identity === late.identity);
  });

  it('releases a host that is held, so that its next sighting admits it', async () => {
    const [site, discovery, nodes] = [new Site(), await startDiscovery(), await startNodes()];
    const node = nodes.add('a.example.net');
    discovery.greet = snapshotOf(nodes, node);
    const app = await site.start([discovery.address]);
    await site.line(({ msg }) => msg === 'run finished: PROVISIONED');
    const released = await contractClient(app)('ReleaseHost', { identity: node.identity });
    expect(released).toMatchObject({
      previous_state: 'HOST_STATE_HELD',
      run_id: '',
      outcome: 'OUTCOME_UNSPECIFIED',
    });
    expect(await metric(app, 'hosts')).toBe(0);
  });
});

describe('TestHelper', () => {
  it('tells what would follow from a given input, and touches nothing', async () => {
    const site = new Site();
    site.write(
      'helper.sh',
      `#!/bin/sh
cat > ${site.folder}/given
echo looking up >&2
echo '{"Configuration": {"a": "b"}, "key": "s3cret key", "ca": "CA", "extra": 1, "action_policies": {"x.policy": "p"}}'
`,
    );
    const app = await site.start(nowhere);
    const call = contractClient(app);
    const input = '{ "identity":"a", "big": 123456789012345678901 }';
    const told = await call('TestHelper', { input_json: input });
    expect(told).toMatchObject({
      outcome: 'OUTCOME_FAILED',
      reason: 'KEY_INVALID',
      input_json: input,
      exit_code: 0,
      stderr: 'looking up\n',
      reply: { configuration: { a: 'b' }, action_policies: { 'x.policy': 'p' }, has_key: true, ca: 'CA' },
      warnings: ['Configuration: is read as configuration', 'extra: is not known and counts for nothing'],
    });
    expect(JSON.stringify(told)).not.toContain('s3cret');
    expect(JSON.stringify(site.lines)).not.toContain('s3cret');
    expect(await metric(app, 'helper_duration_seconds_count')).toBe(0);
    expect(await metric(app, 'runs_total')).toBe(0);
    await site.line(({ msg, by }) => msg.startsWith('the helper was tried out') && by === '127.0.0.1');
  });

  it('tells how a helper fails', async () => {
    const site = new Site();
    site.write('helper.sh', '#!/bin/sh\necho oh no >&2\nexit 3\n');
    const call = contractClient(await site.start(nowhere));
    expect(await call('TestHelper', { input_json: '{}' })).toMatchObject({
      outcome: 'OUTCOME_FAILED',
      reason: 'HELPER_EXIT',
      exit_code: 3,
      stderr: 'oh no\n',
      reply: null,
    });
    site.write('helper.sh', '#!/bin/sh\nkill -9 $$\n');
    expect(await call('TestHelper', { input_json: '{}' })).toMatchObject({ exit_code: -1 });
  });

  it('asks again about a host what its last run asked, also when it is released', async () => {
    const [site, discovery, nodes] = [new Site(), await startDiscovery(), await startNodes()];
    const node = nodes.add('a.example.net');
    discovery.greet = snapshotOf(nodes, node);
    site.write('helper.sh', '#!/bin/sh\nexit 1\n');
    const app = await site.start([discovery.address]);
    const call = contractClient(app);
    await site.line(({ msg }) => msg === 'run finished: FAILED');
    const { calls } = node;
    const before = [...calls];
    site.write('helper.sh', `#!/bin/sh\ncat > /dev/null\necho '{"configuration":{"a":"b"}}'\n`);
    const told = await call('TestHelper', { identity: node.identity });
    expect(told).toMatchObject({ outcome: 'OUTCOME_PROVISIONED', reason: '', current_version: '1.0.0' });
    expect(JSON.parse(told.input_json)).toMatchObject({ identity: node.identity });
    expect(node.calls).toEqual(before);
    await expect(call('TestHelper', { identity: 'b.example.net' })).rejects.toMatchObject({
      code: status.FAILED_PRECONDITION,
      reason: 'NOTHING_FETCHED',
    });
  });

  it('says what is wrong with an input', async () => {
    const call = contractClient(await new Site().start(nowhere));
    const refused = (request: object) => expect(call('TestHelper', request)).rejects;
    await refused({}).toMatchObject({ code: status.INVALID_ARGUMENT, violations: [{ field: 'input' }] });
    await refused({ input_json: '{\n"a"' }).toMatchObject({
      code: status.INVALID_ARGUMENT,
      violations: [{ field: 'input_json', description: 'line 2, column 4: unexpected end of the text' }],
    });
    await refused({ input_json: `"${'x'.repeat(4_000_001)}"` }).toMatchObject({
      code: status.INVALID_ARGUMENT,
      violations: [{ field: 'input_json', description: 'is longer than 4000000 bytes' }],
    });
    await refused({ identity: 'no identity' }).toMatchObject({ violations: [{ field: 'identity' }] });
  });
});
