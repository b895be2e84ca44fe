// What an agent refuses, over the wire: status codes and reasons, by clients made from the .proto file.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { status } from '@grpc/grpc-js';
import { describe, expect, test } from 'vitest';
import {
  configureRequest,
  NodeClient,
  newRun,
  patience,
  startMockNode,
  temporaryFolder,
} from './mock-node-support.js';

describe('a refusal on the wire', () => {
  test.each<[string, Record<string, string>, status, string]>([
    ['of another identity', { 'slipway-identity': 'other' }, status.FAILED_PRECONDITION, 'IDENTITY_MISMATCH'],
    ['of no identity', { 'slipway-identity': '' }, status.FAILED_PRECONDITION, 'IDENTITY_MISMATCH'],
    ['of another boot', { 'slipway-boot': newRun().runId }, status.FAILED_PRECONDITION, 'REBOOTED'],
    ['of a wrong proof', { 'slipway-proof': 'ab'.repeat(32) }, status.UNAUTHENTICATED, 'PROOF_INVALID'],
    ['of no proof', { 'slipway-proof': '' }, status.UNAUTHENTICATED, 'PROOF_INVALID'],
    ['of no fence', { 'slipway-fence': '' }, status.INVALID_ARGUMENT, 'ARGUMENT_INVALID'],
  ])('%s', async (_what, changes, code, reason) => {
    const secretFile = join(temporaryFolder(), 'secret');
    writeFileSync(secretFile, 's3cret\n');
    const app = await startMockNode({ flags: ['--secret-file', secretFile] });
    const node = new NodeClient(`127.0.0.1:${app.port}`, 's3cret');
    const run = newRun();
    const refused = node.call('GetInventory', {}, await node.authority(run, changes));
    await expect(refused).rejects.toMatchObject({ code, reason });
    await node.as(run, 'GetInventory');
  });

  test('of a stale fence names the one seen and how long it has been idle', async () => {
    const app = await startMockNode();
    const node = new NodeClient(`127.0.0.1:${app.port}`);
    const [early, late] = [newRun(), newRun()];
    await node.as(late, 'GetInventory');
    expect(await node.refusal(early, 'GetInventory')).toMatchObject({
      code: status.ABORTED,
      reason: 'STALE_FENCE',
      metadata: { fence: late.fence.toString(), idle_seconds: '0' },
    });
  });

  test('of another site says when to try again', async () => {
    const app = await startMockNode();
    const node = new NodeClient(`127.0.0.1:${app.port}`);
    await node.as(newRun(), 'GetInventory');
    const elsewhere = await node.authority(newRun(), { 'slipway-site': 'elsewhere' });
    const error = await node.call('GetInventory', {}, elsewhere).catch((refused) => refused);
    expect(error).toMatchObject({ code: status.ABORTED, reason: 'LOCKED' });
    expect(error.retryAfterMs).toBeGreaterThan(110_000);
  });

  test('of bad arguments names every field', async () => {
    const app = await startMockNode();
    const node = new NodeClient(`127.0.0.1:${app.port}`);
    const request = { configuration_json: '{"a":1}', action_policies: { '../a.policy': '' } };
    const error = await node.refusal(newRun(), 'Configure', request);
    expect(error).toMatchObject({ code: status.INVALID_ARGUMENT, reason: 'ARGUMENT_INVALID' });
    expect(error.violations.map(({ field }) => field)).toEqual(['configuration_json', 'action_policies']);
    const run = newRun();
    await node.as(run, 'Configure', configureRequest());
    expect(await node.refusal(run, 'Restart', { splay: { seconds: 3601 } })).toMatchObject({
      reason: 'ARGUMENT_INVALID',
      violations: [{ field: 'splay' }],
    });
  });

  test('by the mode of the node', async () => {
    const app = await startMockNode();
    const node = new NodeClient(`127.0.0.1:${app.port}`);
    const run = newRun();
    expect(await node.refusal(run, 'Reprovision')).toMatchObject({ reason: 'PROVISIONING' });
    expect(await node.refusal(run, 'Restart')).toMatchObject({ reason: 'PROVISIONING_ENABLED' });
    await node.as(run, 'Configure', configureRequest());
    await node.as(run, 'Restart');
    await expect.poll(() => app.swarm.counts.CONFIGURED, patience).toBe(1);
    expect(await node.refusal(run, 'Configure', configureRequest())).toMatchObject({
      code: status.FAILED_PRECONDITION,
      reason: 'NOT_PROVISIONING',
    });
    await node.as(newRun(), 'Reprovision');
    await expect.poll(() => app.swarm.counts.PROVISIONING, patience).toBe(1);
  });

  test.each<[string, string, readonly string[]]>([
    ['GetJwt', 'without a token', []],
    ['UpdateRelease', 'that is not upgradable', ['--upgradable=no']],
  ])('of %s, which a node %s does not serve', async (rpc, _why, flags) => {
    const app = await startMockNode({ flags });
    const node = new NodeClient(`127.0.0.1:${app.port}`);
    expect(await node.refusal(newRun(), rpc)).toMatchObject({ code: status.UNIMPLEMENTED });
    expect(await node.identify()).toMatchObject({
      features: { jwt: false, upgrades: rpc !== 'UpdateRelease' },
    });
  });

  test('of an upgrade to no release names the fields', async () => {
    const app = await startMockNode();
    const node = new NodeClient(`127.0.0.1:${app.port}`);
    expect(await node.refusal(newRun(), 'UpdateRelease', { version: '2.0\n' })).toMatchObject({
      code: status.INVALID_ARGUMENT,
      reason: 'ARGUMENT_INVALID',
      violations: [{ field: 'repository' }, { field: 'version' }],
    });
  });
});
