import { afterEach, describe, expect, it } from 'vitest';
import type { MockNodeApp } from '../../services/mock-node/app.js';
import type { SightedNode } from '../../services/provisioner/fleet/node-event.js';
import { systemClock } from '../../shared/clock.js';
import { certificateAt, cleanUp, createBench, losing, site, startNodes, waitFor } from './run-support.js';

afterEach(cleanUp);

const upgrades = { features: { upgrades: true }, upgradesRepository: 'https://repo.example.net/' };
const upgraded = { kind: 'UPGRADED', from: '1.0.0', to: '2.0.0' };

function bootsOf(app: MockNodeApp, nodes: readonly SightedNode[]) {
  return nodes.map((_, index) => app.swarm.node(index)?.agent?.identify().bootId);
}

/** Waits until the nodes are there again, in another boot than before. */
async function back(app: MockNodeApp, nodes: readonly SightedNode[], before: ReturnType<typeof bootsOf>) {
  const isBack = (boot: (typeof before)[number], index: number) =>
    app.swarm.node(index)?.phase === 'PROVISIONING' && boot !== before[index];
  await waitFor(() => bootsOf(app, nodes).every(isBack));
}

describe('upgrades of real nodes', () => {
  it('are done before nodes are configured, and the next run configures them', async () => {
    const { app, nodes } = await startNodes(3, undefined, '--release 1.0.0 --upgrade-time 50ms');
    const { helper, sink, runAll } = createBench(upgrades);
    helper.replies({ upgrade: '2.0.0' });
    const boots = bootsOf(app, nodes);
    expect((await runAll(nodes)).map(({ outcome }) => outcome)).toEqual(nodes.map(() => upgraded));
    await back(app, nodes, boots);
    expect((await runAll(nodes)).map(({ outcome }) => outcome.kind)).toEqual(nodes.map(() => 'PROVISIONED'));
    expect(helper.asked.slice(-3).map(({ inventory }) => inventory.version)).toEqual(
      nodes.map(() => '2.0.0'),
    );
    await waitFor(() => sink.of('NODE_CONFIRMED').length === nodes.length);
  });

  it.each(['BEFORE', 'AFTER'] as const)(
    'are settled though the reply is lost %s the effect',
    async (when) => {
      const { app, nodes } = await startNodes(3, undefined, '--release 1.0.0 --upgrade-time 50ms');
      const { helper, runAll } = createBench({
        ...upgrades,
        wrap: (dial) => losing(dial, 'updateRelease', when),
      });
      helper.replies({ upgrade: '2.0.0' });
      const boots = bootsOf(app, nodes);
      expect((await runAll(nodes)).map(({ outcome }) => outcome)).toEqual(nodes.map(() => upgraded));
      await back(app, nodes, boots);
    },
  );

  it('lead back to an older release likewise, over TLS and on the certificate of the next boot', async () => {
    const now = systemClock.now() / 1000;
    const flags = '--release 1.0.0 --upgrade-time 50ms';
    const { app, nodes } = await startNodes(2, await site.token(now), flags);
    const features = { jwt: true, ed25519: true, upgrades: true };
    const { helper, runAll } = createBench({ ...upgrades, features });
    helper.replies({ upgrade: '0.9' });
    const boots = bootsOf(app, nodes);
    expect((await runAll(nodes)).map(({ outcome }) => outcome)).toEqual(
      nodes.map(() => ({ ...upgraded, to: '0.9' })),
    );
    await back(app, nodes, boots);
    const sighted = await Promise.all(
      nodes.map(async (node) => ({ ...node, certificateSha256: await certificateAt(node.address) })),
    );
    expect((await runAll(sighted)).map(({ outcome }) => outcome.kind)).toEqual(
      nodes.map(() => 'PROVISIONED'),
    );
  });

  it('are refused by a node that cannot, without a call', async () => {
    const { app, nodes } = await startNodes(1, undefined, '--release 1.0.0 --upgradable no');
    const { helper, runAll } = createBench(upgrades);
    helper.replies({ upgrade: '2.0.0' });
    const boots = bootsOf(app, nodes);
    const [result] = await runAll(nodes);
    expect(result?.outcome).toMatchObject({ kind: 'UPGRADE_FAILED', reason: 'UPGRADE_REFUSED' });
    expect(bootsOf(app, nodes)).toEqual(boots);
  });
});
