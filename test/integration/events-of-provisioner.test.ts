// What a provisioner that works tells its subscribers, over its own end.

import { status } from '@grpc/grpc-js';
import { expect, it } from 'vitest';
import { eventsClient } from './events-support.js';
import { metric, Site, sighting, startDiscovery, startNodes } from './provisioner-support.js';

it('a subscriber hears of a run from its start to its end, and after a restart of what follows', async () => {
  const [site, discovery, nodes] = [new Site(), await startDiscovery(), await startNodes()];
  const node = nodes.add('a.example.net');
  const first = await site.start([discovery.address]);
  const watch = eventsClient(first.addresses.api ?? '').watch({ start: 'earliest', earliest: {} });
  await watch.count(1);
  expect(await metric(first, 'events_subscribers')).toBe(1);
  await discovery.watched(1);
  discovery.send(sighting(nodes, node));
  const heard = await watch.until('EVENT_TYPE_RUN_FINISHED');
  await first.stop();
  expect(await watch.ended).toMatchObject({ code: status.UNAVAILABLE });

  expect(heard.map(({ sequence }) => sequence)).toEqual(heard.map((_, index) => index + 1));
  expect(heard.map(({ type, identity }) => `${type} ${identity}`)).toEqual([
    'EVENT_TYPE_HOST_QUEUED a.example.net',
    'EVENT_TYPE_RUN_STARTED a.example.net',
    ...Array.from({ length: heard.length - 3 }, () => 'EVENT_TYPE_STEP_COMPLETED a.example.net'),
    'EVENT_TYPE_RUN_FINISHED a.example.net',
  ]);
  expect(new Set(heard.slice(1).map(({ run_id }) => run_id)).size).toBe(1);

  const second = await site.start([discovery.address]);
  await discovery.watched(2);
  discovery.send(sighting(nodes, node));
  const { log_id, last } = watch.position();
  const after = { log_id, sequence: last };
  const resumed = eventsClient(second.addresses.api ?? '').watch({ start: 'after', after });
  const again = await resumed.until('EVENT_TYPE_RUN_FINISHED');
  expect(again[0]).toMatchObject({ sequence: last + 1, type: 'EVENT_TYPE_HOST_QUEUED' });
  expect(resumed.told.filter((word) => word.startsWith('GAP'))).toEqual([]);
});
