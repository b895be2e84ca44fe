// What operators are told of a host whose past is older than the provisioner.

import { status } from '@grpc/grpc-js';
import { expect, it } from 'vitest';
import { contractClient } from './provisioner-client.js';
import { arrival, Site, sighting, startDiscovery, startNodes } from './provisioner-support.js';

const ended = (name: string) => (line: { msg: string; identity?: unknown }) =>
  line.msg.startsWith('run finished') && line.identity === name;

it('the event log tells what was before the provisioner, and how it was with its nodes', async () => {
  const [site, discovery, nodes] = [new Site(), await startDiscovery(), await startNodes()];
  const [up, bad] = [nodes.add('up.example.net'), nodes.add('bad.example.net')];
  bad.answers.set('Identify', { provisioning: false });
  const first = await site.start([discovery.address]);
  await discovery.watched(1);
  for (const node of [up, bad]) discovery.send(sighting(nodes, node));
  for (const node of [up, bad]) await site.line(ended(node.identity));
  up.bootNumber += 1;
  discovery.send(arrival(nodes, up));
  await site.line(({ msg }) => msg.startsWith('node came up'));
  const before = await contractClient(first)('GetHost', { identity: bad.identity });
  expect(before.runs).toMatchObject([{ earlier: false, reason: 'NOT_PROVISIONING' }]);
  await first.stop();

  site.lines.length = 0;
  const second = await site.start([discovery.address]);
  await discovery.watched(2);
  const call = contractClient(second);
  const failed = { outcome: 'OUTCOME_FAILED', reason: 'NOT_PROVISIONING', last_step: 'STEP_IDENTIFY' };

  const unseen = await call('GetHost', { identity: bad.identity });
  expect(unseen.host).toMatchObject({
    state: 'HOST_STATE_RELEASED',
    address: nodes.addressOf(bad),
    boot_id: bad.bootId,
    last_outcome: 'OUTCOME_FAILED',
  });
  const { earlier: _, ...run } = before.runs[0];
  expect(unseen.runs).toMatchObject([{ ...failed, earlier: true, run_id: run.run_id, fence: run.fence }]);
  expect(unseen.waits).toMatchObject([{ cause: 'WAIT_CAUSE_SIGHTING' }]);
  expect(unseen.waits[0].message).toContain('Its last run failed at IDENTIFY: NOT_PROVISIONING');
  const { provisioner_started_at: startedAt } = unseen;
  expect(Math.abs(Number(startedAt.seconds) - Date.now() / 1000)).toBeLessThan(60);
  expect(Number(startedAt.seconds)).toBeGreaterThanOrEqual(Number(unseen.runs[0].started_at.seconds));

  const came = await call('GetHost', { identity: up.identity });
  expect(came.runs).toMatchObject([
    { outcome: 'OUTCOME_PROVISIONED', confirmation: 'CONFIRMATION_CONFIRMED', earlier: true },
  ]);
  expect(came.waits).toEqual([]);

  discovery.send(sighting(nodes, bad));
  await site.line(ended(bad.identity));
  const seen = await call('GetHost', { identity: bad.identity });
  expect(seen.runs).toMatchObject([
    { ...failed, earlier: false },
    { ...failed, earlier: true, run_id: run.run_id },
  ]);

  const nobody = call('GetHost', { identity: 'nobody.example.net' });
  await expect(nobody).rejects.toMatchObject({
    code: status.NOT_FOUND,
    message: expect.stringContaining('the event log has nothing of it'),
  });
});
