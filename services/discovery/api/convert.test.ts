import { expect, it } from 'vitest';
import { announcement, RegistryBench } from '../../../test/fakes/registry-bench.js';
import { announcedNode } from '../leases/lease.js';
import { encodeEvent } from './convert.js';

it('the bytes of an event, which are kept for other watchers, keep no memory but their own', () => {
  const node = announcedNode(announcement(new RegistryBench().deafBoot('a'), 'STARTUP'), 1_700_000_000_000);
  const bytes = encodeEvent('epoch', 1, { type: 'STARTUP', time: 1_700_000_000_000, node });
  expect(bytes.buffer.byteLength).toBe(bytes.length);
});
