import { createPrivateKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../shared/clock.js';
import type { Identity } from '../../shared/identity.js';
import { Secret } from '../../shared/secret.js';
import { ed25519KeyFromSeed, rawPublicKey } from '../../shared/trust/raw-keys.js';
import { verifyServerToken } from '../../shared/trust/server-token.js';
import { makeCertificate } from '../fakes/certificates.js';
import type { RecordingSink } from '../fakes/recording-sink.js';

import { cleanUp, createBench, losing, site, startNodes, waitFor } from './run-support.js';

afterEach(cleanUp);

function confirmedOf(sink: RecordingSink): Identity[] {
  return sink.of('NODE_CONFIRMED').map((event) => event.identity);
}

describe('runs on real nodes', () => {
  it('configure each node once, restart it, and hear from it what it came up with', async () => {
    const { app, nodes } = await startNodes(10);
    const { sink, runAll } = createBench();
    const results = await runAll(nodes);
    expect(results.map(({ outcome }) => outcome.kind)).toEqual(nodes.map(() => 'PROVISIONED'));
    await waitFor(() => sink.of('NODE_CONFIRMED').length === nodes.length);
    expect(confirmedOf(sink).toSorted()).toEqual(nodes.map(({ identity }) => identity));
    expect(nodes.every((_, index) => app.swarm.node(index)?.phase === 'CONFIGURED')).toBe(true);
  });

  it.each([
    ['configure', 'BEFORE'],
    ['configure', 'AFTER'],
    ['restart', 'BEFORE'],
    ['restart', 'AFTER'],
  ] as const)('do so though each %s loses its reply %s it had its effect', async (rpc, when) => {
    const { nodes } = await startNodes(5);
    const { sink, runAll } = createBench({ wrap: (dial) => losing(dial, rpc, when) });
    const results = await runAll(nodes);
    expect(results.map(({ outcome }) => outcome)).toEqual(
      nodes.map(() => ({ kind: 'PROVISIONED', unsettled: false })),
    );
    await waitFor(() => sink.of('NODE_CONFIRMED').length === nodes.length);
  });

  it.each(['BEFORE', 'AFTER'] as const)(
    'shut nodes down though the reply is lost %s the effect',
    async (when) => {
      const { app, nodes } = await startNodes(3);
      const { helper, runAll } = createBench({ wrap: (dial) => losing(dial, 'shutdown', when) });
      helper.replies({ shutdown: true, msg: 'retired' });
      const results = await runAll(nodes);
      expect(results.map(({ outcome }) => outcome.kind)).toEqual(nodes.map(() => 'SHUT_DOWN'));
      await waitFor(() => nodes.every((_, index) => app.swarm.node(index)?.phase === 'STOPPED'));
    },
  );

  it('find the secret of a node in a list, and fail with none that fits', async () => {
    const { nodes } = await startNodes(2);
    const [first, second] = nodes;
    const wrong = await createBench({ tokens: ['new'] }).runAll(first ? [first] : []);
    expect(wrong[0]?.outcome).toMatchObject({ kind: 'FAILED', reason: 'PROOF_INVALID' });
    const right = await createBench({ tokens: ['new', 's3cret'] }).runAll(second ? [second] : []);
    expect(right[0]?.outcome.kind).toBe('PROVISIONED');
  });

  it('fail where the configuration keeps the node in provisioning mode', async () => {
    const { nodes } = await startNodes(2);
    const { helper, runAll } = createBench();
    helper.replies({ configuration: new Map([['plugin.choria.server.provision', 'true']]) });
    const results = await runAll(nodes);
    expect(results.map(({ outcome }) => outcome)).toEqual(
      nodes.map(() => expect.objectContaining({ kind: 'FAILED', reason: 'PROVISIONING_ENABLED' })),
    );
  });

  it('say which argument a node refused', async () => {
    const { nodes } = await startNodes(2);
    const { helper, runAll } = createBench();
    helper.replies({ actionPolicies: new Map([['../puppet.policy', 'policy default allow']]) });
    const [result] = await runAll(nodes);
    expect(result?.outcome).toMatchObject({
      kind: 'FAILED',
      reason: 'RPC_FAILED',
      message: expect.stringContaining('action_policies'),
    });
  });
});

describe('runs on real nodes with TLS', () => {
  const features = { jwt: true, ed25519: true };
  const now = systemClock.now() / 1000;

  it('give each a server token for the key that it made, and hear from it on the certificate of its next boot', async () => {
    const { app, nodes } = await startNodes(5, await site.token(now));
    const { sink, helper, runAll } = createBench({ features });
    const results = await runAll(nodes);
    expect(results.map(({ outcome }) => outcome)).toEqual(
      nodes.map(() => ({ kind: 'PROVISIONED', unsettled: false })),
    );
    await waitFor(() => sink.of('NODE_CONFIRMED').length === nodes.length);
    expect(confirmedOf(sink).toSorted()).toEqual(nodes.map(({ identity }) => identity));
    expect(nodes.every((_, index) => app.swarm.node(index)?.phase === 'CONFIGURED')).toBe(true);
    const folders = helper.asked.map(({ key }) => key?.directory ?? '');
    for (const folder of folders) {
      const token = await readFile(join(folder, 'server.jwt'), 'utf8');
      const seed = Buffer.from(await readFile(join(folder, 'server.seed'), 'utf8'), 'hex');
      const claims = await verifyServerToken(token, site.verificationKey, systemClock.now() / 1000);
      expect(claims.publicKey).toBe(rawPublicKey(ed25519KeyFromSeed(seed)).toString('hex'));
    }
  });

  it.each([
    ['configure', 'BEFORE'],
    ['configure', 'AFTER'],
    ['restart', 'BEFORE'],
    ['restart', 'AFTER'],
  ] as const)('do so though each %s loses its reply %s it had its effect', async (rpc, when) => {
    const { nodes } = await startNodes(3, await site.token(now));
    const { sink, runAll } = createBench({ features, wrap: (dial) => losing(dial, rpc, when) });
    const results = await runAll(nodes);
    expect(results.map(({ outcome }) => outcome.kind)).toEqual(nodes.map(() => 'PROVISIONED'));
    await waitFor(() => sink.of('NODE_CONFIRMED').length === nodes.length);
  });

  it('bring a key from the helper that only the node can read', async () => {
    const { nodes } = await startNodes(2, await site.token(now));
    const { helper, runAll } = createBench({ features: { jwt: true } });
    const issued = await makeCertificate({ name: 'n', key: 'RSA' });
    const key = createPrivateKey(issued.keyPem).export({ type: 'pkcs1', format: 'pem' }).toString();
    const certificate = issued.certificatePem;
    helper.replies({ key: new Secret(key), certificate, ca: certificate, ssldir: '' });
    const results = await runAll(nodes);
    expect(results.map(({ outcome }) => outcome.kind)).toEqual(nodes.map(() => 'PROVISIONED'));
  });

  it('are of the boot whose certificate is known: one that has another is not run', async () => {
    const { nodes } = await startNodes(1, await site.token(now));
    const { runAll } = createBench({ features });
    const stale = nodes.map((node) => ({ ...node, certificateSha256: 'ab'.repeat(32) }));
    const [result] = await runAll(stale);
    expect(result?.outcome).toMatchObject({ kind: 'SUPERSEDED', by: 'BOOT' });
  });
});
