import { copyFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { dataFolder } from '../../../../test/fakes/event-log-bench.js';
import { usedBytes } from '../../../../test/fakes/log-file.js';
import { LmdbFile } from './lmdb-file.js';
import { LmdbStore } from './lmdb-store.js';
import { eventRecord } from './record.js';

it('takes room in the file that it opens again, which may be another one', async () => {
  const folder = dataFolder();
  const path = join(folder, 'data.mdb');
  const file = new LmdbFile(folder);
  await file.writeOrigin({ format: 1, logId: 'log', site: 'lab' });
  const store = new LmdbStore(file, 'log');
  onTestFinished(() => store.close());
  const write = (events: number, identity = 'a') => {
    const header = { type: 'HOST_QUEUED', identity, runId: '', outcome: '' } as const;
    const added = Array.from({ length: events }, (_, n) =>
      eventRecord(store.last + n + 1, 0, header, Buffer.alloc(300)),
    );
    return store.write({ added, removed: [] });
  };
  await write(1);
  // As a disk that is mounted anew would have it: the path leads to another file.
  copyFileSync(path, `${path}.copy`);
  renameSync(`${path}.copy`, path);
  const longerThanAnyKey = 'a'.repeat(5_000);
  await expect(write(1, longerThanAnyKey)).rejects.toThrow('cannot be written');

  await write(1_000);
  expect(statSync(path).size - usedBytes(path)).toBeGreaterThanOrEqual(128 * 1024);
});
