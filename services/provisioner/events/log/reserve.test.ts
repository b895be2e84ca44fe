import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { dataFolder } from '../../../../test/fakes/event-log-bench.js';
import { LmdbFile } from './lmdb-file.js';
import { LmdbStore } from './lmdb-store.js';
import { eventRecord } from './record.js';
import { pagesFor, Reserve } from './reserve.js';
import type { Change } from './store.js';

it('takes at least the room that LMDB takes for a change', async () => {
  const change = fc.record({
    added: fc.integer({ min: 1, max: 400 }),
    removed: fc.integer({ min: 0, max: 400 }),
    bytes: fc.oneof(fc.integer({ min: 0, max: 600 }), fc.integer({ min: 0, max: 20_000 })),
    nodes: fc.integer({ min: 1, max: 5_000 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 12 }), async (changes) => {
      const file = new LmdbFile(dataFolder());
      await file.writeOrigin({ format: 1, logId: 'log', site: 'lab' });
      const store = new LmdbStore(file, 'log');
      onTestFinished(() => store.close());
      for (const { added, removed, bytes, nodes } of changes) {
        const written: Change = {
          added: Array.from({ length: added }, (_, n) => {
            const sequence = store.last + 1 + n;
            const identity = `node-${(sequence * 7_919) % nodes}.example.net`;
            const header = { type: 'HOST_QUEUED', identity, runId: '', outcome: '' } as const;
            return eventRecord(sequence, 0, header, Buffer.alloc(bytes));
          }),
          removed: store.read(store.removed + 1, removed),
        };
        const { extent } = file;
        await store.write(written);
        const grown = file.extent.lastPage - extent.lastPage;
        expect(grown).toBeLessThanOrEqual(pagesFor(written, extent));
      }
    }),
    {
      numRuns: 10,
      // Of values so large that two fill a page, a page that was split may have one.
      examples: [
        [
          [
            { added: 79, removed: 0, bytes: 1_299, nodes: 1 },
            { added: 1, removed: 0, bytes: 0, nodes: 1 },
          ],
        ],
      ],
    },
  );
}, 30_000);

it('leaves alone what LMDB has written beyond the room that was taken for it', async () => {
  const folder = dataFolder();
  const path = join(folder, 'data.mdb');
  const pageBytes = 4_096;
  const nothing: Change = { added: [], removed: [] };
  writeFileSync(path, Buffer.alloc(pageBytes, 1));
  const reserve = new Reserve(folder);
  onTestFinished(() => reserve.close());
  await reserve.take({ lastPage: 0, pageBytes }, nothing);

  const more = Buffer.alloc(1_000 * pageBytes, 2);
  writeFileSync(path, more);
  await reserve.take({ lastPage: 999, pageBytes }, nothing);
  expect(readFileSync(path).subarray(0, more.length).equals(more)).toBe(true);
});
