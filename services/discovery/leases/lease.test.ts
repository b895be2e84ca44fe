import { expect, it } from 'vitest';
import { heapBytesOf } from '../../../test/fakes/heap.js';
import { announcement, type Boot, RegistryBench } from '../../../test/fakes/registry-bench.js';
import type { Announcement } from '../nodes/announcement.js';
import { handOver, newLease, nodeOf, refresh } from './lease.js';

const now = 1_700_000_000_000;
const bench = new RegistryBench();

/** As it comes from the wire: each time in texts of its own. */
function said(boot: Boot, type: Announcement['type']): Announcement {
  const [version, component, rack] = ['1.10.2', 'provision_mode_server', 'rack-07'].map((text) =>
    Buffer.from(text).toString(),
  );
  return announcement(boot, type, {
    ...(version && { version }),
    ...(component && { component }),
    ...(rack && { labels: { rack } }),
  });
}

it('what is told of a node again and again takes little, as long as the node says the same', () => {
  const boots = Array.from({ length: 2_000 }, (_, index) => bench.deafBoot(`node-${index}`));
  const times = 10;
  const bytes = heapBytesOf(() =>
    boots.map((boot) => {
      const lease = newLease(said(boot, 'STARTUP'), 'PROVISIONING', now);
      return Array.from({ length: times }, () => {
        refresh(lease, said(boot, 'ALIVE'), now);
        return nodeOf(lease);
      });
    }),
  );
  expect(bytes / (times * boots.length)).toBeLessThan(190);
});

it('what the next boot of a node says likewise is kept as it was', () => {
  const lease = newLease(said(bench.deafBoot('a'), 'STARTUP'), 'PROVISIONING', now);
  const { labels } = lease;
  handOver(lease, said(bench.deafBoot('a'), 'PROVISIONED'), 'CONFIGURED', now);
  expect(lease.labels).toBe(labels);
});
