// Faults to order, over real connections: what the caller sees of each, and what the node did.

import { join } from 'node:path';
import { Metadata, status } from '@grpc/grpc-js';
import { describe, expect, test, vi } from 'vitest';
import { parseFaults } from '../../services/mock-node/faults/parse.js';
import { type NodeOnDisk, readNodeState } from '../../services/mock-node/state/read-node-state.js';
import {
  configureRequest,
  digestOf,
  NodeClient,
  newRun,
  patience,
  startMockNode,
  temporaryFolder,
} from './mock-node-support.js';

const identity = 'web-1.example.net';

/** A configuration that the next start comes up with, out of provisioning mode. */
const request = configureRequest({ 'plugin.choria.server.provision': 'false' });

/** Of that request, as the node is to compute it. */
const digest = digestOf(request);

describe.each(['insecure', 'required'])('with --tls-mode %s', (mode) => {
  async function setUp(...faults: string[]) {
    const directory = temporaryFolder();
    const flags = [`--tls-mode=${mode}`, '--dir', directory, ...faults.flatMap((list) => ['--fault', list])];
    const app = await startMockNode({ flags });
    /** A client that takes the certificate of the boot that is up for the node's. */
    const newClient = () => new NodeClient(`127.0.0.1:${app.port}`, '', { tls: mode === 'required' });
    const onDisk = (): Promise<NodeOnDisk> => readNodeState(join(directory, identity));
    return { app, node: newClient(), newClient, run: newRun(), onDisk };
  }

  const nothingDone = { configurations: 0, status: 'NONE' };
  const done = { configurations: 1, status: 'COMMITTED', digest: digest.toString('hex'), problems: [] };
  const installed = { configurations: 1, status: 'INSTALLED', confirmed: true, problems: [] };

  test('delay: the call is answered so much later', async () => {
    const { node, run, onDisk } = await setUp('configure:delay:300ms,configure:delay:100ms');
    const authority = await node.authority(run);
    const began = performance.now();
    await node.call('Configure', request, authority);
    expect(performance.now() - began).toBeGreaterThanOrEqual(399);
    expect(await onDisk()).toMatchObject(done);
  });

  test('delay: nothing is done where the caller has given up before', async () => {
    const { node, run, onDisk } = await setUp('configure:delay:400ms');
    const authority = await node.authority(run);
    await expect(node.call('Configure', request, authority, 100)).rejects.toMatchObject({
      code: status.DEADLINE_EXCEEDED,
    });
    // By then the delay of the first call is over.
    await node.call('Configure', configureRequest(), authority);
    expect(await onDisk()).toMatchObject({ configurations: 1 });
  });

  test('error: the call fails with the code, and nothing is done', async () => {
    const { node, run, onDisk } = await setUp('configure:error:RESOURCE_EXHAUSTED:x1');
    expect(await node.refusal(run, 'Configure', request)).toMatchObject({
      code: status.RESOURCE_EXHAUSTED,
      reason: '',
      message: expect.stringContaining('fault'),
    });
    expect(await onDisk()).toMatchObject(nothingDone);
    await node.as(run, 'Configure', request);
    expect(await onDisk()).toMatchObject(done);
  });

  test('drop-request: the connection is lost, with all that is open on it, and nothing is done', async () => {
    const { node, run, onDisk } = await setUp('configure:drop-request:x1,csr:hang');
    const authority = await node.authority(run);
    const neighbour = node.call('GenerateCsr', { common_name: identity }, authority).catch((error) => error);
    const struck = await node.call('Configure', request, authority).catch((error) => error);
    expect(struck).toMatchObject({ code: status.UNAVAILABLE, message: expect.stringMatching(/ECONNRESET/) });
    expect(await neighbour).toMatchObject({ code: status.UNAVAILABLE });
    expect(await onDisk()).toMatchObject(nothingDone);
    await node.as(run, 'Configure', request);
    expect(await onDisk()).toMatchObject(done);
  });

  test('drop-request: the connections of others stay', async () => {
    const { node, newClient, run } = await setUp('configure:drop-request,jwt:hang');
    const other = newClient();
    const hanging = other.call('GetJwt', {}, await other.authority(run), 1_000).catch((error) => error);
    await expect(node.as(run, 'Configure', request)).rejects.toMatchObject({ code: status.UNAVAILABLE });
    expect(await hanging).toMatchObject({ code: status.DEADLINE_EXCEEDED });
  });

  test('drop-reply: the connection is lost once all is done, and the node can say so', async () => {
    const { node, run, onDisk } = await setUp('configure:drop-reply');
    const { boot_id } = await node.identify();
    const lost = await node.as(run, 'Configure', request).catch((error) => error);
    expect(lost).toMatchObject({ code: status.UNAVAILABLE, message: expect.stringMatching(/ECONNRESET/) });
    expect(await onDisk()).toMatchObject(done);
    expect(await node.identify()).toMatchObject({ boot_id });
    expect(await node.as(run, 'GetRunStatus', { run_id: run.runId })).toMatchObject({
      stage: 'RUN_STAGE_CONFIGURED',
      configuration_digest: digest,
    });
  });

  test('hang: nothing is done or answered', async () => {
    const { node, run, onDisk } = await setUp('configure:hang');
    const hanging = node.call('Configure', request, await node.authority(run), 200);
    await expect(hanging).rejects.toMatchObject({ code: status.DEADLINE_EXCEEDED });
    expect(await onDisk()).toMatchObject(nothingDone);
  });

  test('hang: the process ends none the less', async () => {
    const { app, node, run } = await setUp('jwt:hang,key:delay:1h');
    const authority = await node.authority(run);
    const hanging = [node.call('GetJwt', {}, authority), node.call('GenerateEd25519Key', {}, authority)];
    const ended = Promise.allSettled(hanging);
    await node.identify();
    const began = performance.now();
    await app.stop();
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(await ended).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
  });

  test('hang-after: all is done and nothing answered', async () => {
    const { node, run, onDisk } = await setUp('configure:hang-after');
    const hanging = node.call('Configure', request, await node.authority(run), 1_000);
    await expect(hanging).rejects.toMatchObject({ code: status.DEADLINE_EXCEEDED });
    expect(await onDisk()).toMatchObject(done);
  });

  test('garbage: all is done, and the reply is no message', async () => {
    const { node, run, onDisk } = await setUp('*:garbage:x2');
    await expect(node.identify()).rejects.toMatchObject({ code: status.INTERNAL });
    await expect(node.identify()).rejects.toMatchObject({ code: status.INTERNAL });
    expect(await node.identify()).toMatchObject({ identity });
    const again = await setUp('configure:garbage');
    await expect(again.node.as(again.run, 'Configure', request)).rejects.toMatchObject({
      code: status.INTERNAL,
    });
    expect([await onDisk(), await again.onDisk()]).toMatchObject([nothingDone, done]);
    await node.as(run, 'Configure', request);
  });

  test('wrong-identity: another node answers, and refuses what is for this one', async () => {
    const { app, node, run, onDisk } = await setUp('identify:wrong-identity');
    expect(await node.identify()).toMatchObject({ identity: 'xeb-1.example.net' });
    app.faults.set(parseFaults('configure:wrong-identity').faults);
    expect(await node.refusal(run, 'Configure', request)).toMatchObject({
      code: status.FAILED_PRECONDITION,
      reason: 'IDENTITY_MISMATCH',
    });
    expect(await onDisk()).toMatchObject(nothingDone);
  });

  test('duplicate: the request is handled twice, and the second answer is given', async () => {
    const { app, node, run, onDisk } = await setUp('key:duplicate,configure:duplicate');
    const agent = app.swarm.node(0)?.agent ?? expect.fail('the node is down');
    const [key, configure] = [vi.spyOn(agent, 'generateEd25519Key'), vi.spyOn(agent, 'configure')];
    const { public_key } = await node.as(run, 'GenerateEd25519Key', { nonce: Buffer.alloc(32) });
    const [, second] = await Promise.all(key.mock.results.map(({ value }) => value));
    expect([key.mock.calls.length, second.publicKey]).toEqual([2, public_key]);
    await node.as(run, 'Configure', request);
    expect(configure).toHaveBeenCalledTimes(2);
    expect(await onDisk()).toMatchObject(done);
  });

  test('crash-before: nothing is done, and the next boot comes up from the disk', async () => {
    const { app, node, newClient, run, onDisk } = await setUp('configure:crash-before:x1');
    const { boot_id } = await node.identify();
    await expect(node.as(run, 'Configure', request)).rejects.toMatchObject({ code: status.UNAVAILABLE });
    await expect.poll(() => app.swarm.counts.PROVISIONING, patience).toBe(1);
    expect(await onDisk()).toMatchObject(nothingDone);
    const next = newClient();
    const presence = await next.identify();
    expect(presence).toMatchObject({ identity, provisioning: true });
    expect(presence.boot_id).not.toBe(boot_id);
    await next.as(run, 'Configure', request);
    expect(await onDisk()).toMatchObject(done);
  });

  test('crash-after: the next boot comes up with what was done', async () => {
    const { app, node, run, onDisk } = await setUp('configure:crash-after');
    await expect(node.as(run, 'Configure', request)).rejects.toMatchObject({ code: status.UNAVAILABLE });
    await expect.poll(() => app.swarm.counts.CONFIGURED, patience).toBe(1);
    expect(await onDisk()).toMatchObject(installed);
  });

  test('reboot: the call is answered, and the next boot comes up', async () => {
    const { app, node, run, onDisk } = await setUp('configure:reboot');
    const { configuration_digest } = await node.as(run, 'Configure', request);
    expect(configuration_digest).toEqual(digest);
    await expect.poll(() => app.swarm.counts.CONFIGURED, patience).toBe(1);
    expect(await onDisk()).toMatchObject(installed);
  });

  test('reboot: a refusal is answered as well', async () => {
    const { app, node, newClient, run } = await setUp('restart:reboot');
    const { boot_id } = await node.identify();
    expect(await node.refusal(run, 'Restart')).toMatchObject({ reason: 'PROVISIONING_ENABLED' });
    await expect.poll(() => app.swarm.counts.PROVISIONING, patience).toBe(1);
    expect((await newClient().identify()).boot_id).not.toBe(boot_id);
  });

  test('no-effect: the node restarts, and is at the release at which it was', async () => {
    const { app, newClient, run, onDisk } = await setUp('update:no-effect:x1');
    const upgraded = async () => {
      const node = newClient();
      const { agent } = app.swarm.node(0) ?? {};
      await node.as(run, 'UpdateRelease', { repository: 'https://packages.example.net', version: '99.9-1' });
      await expect.poll(() => [undefined, agent].includes(app.swarm.node(0)?.agent), patience).toBe(false);
      return await newClient().identify();
    };
    const { version } = await newClient().identify();
    expect(await upgraded()).toMatchObject({ provisioning: true, version });
    expect((await onDisk()).release).toBeUndefined();
    expect(await upgraded()).toMatchObject({ version: '99.9-1' });
  });

  test('wrong-digest: the configuration is committed, and another digest is told', async () => {
    const { node, run, onDisk } = await setUp('configure:wrong-digest');
    const { configuration_digest } = await node.as(run, 'Configure', request);
    expect(configuration_digest).toHaveLength(32);
    expect(configuration_digest).not.toEqual(digest);
    expect(await onDisk()).toMatchObject(done);
  });

  test('every RPC can be struck', async () => {
    const { node } = await setUp('*:error:DATA_LOSS');
    const rpcs = ['Identify', 'GetJwt', 'GenerateEd25519Key', 'GetInventory', 'GenerateCsr', 'UpdateRelease'];
    const others = ['Configure', 'Restart', 'Shutdown', 'Reprovision', 'GetRunStatus'];
    for (const rpc of [...rpcs, ...others]) {
      await expect(node.call(rpc, {}, new Metadata()), rpc).rejects.toMatchObject({ code: status.DATA_LOSS });
    }
  });
});
