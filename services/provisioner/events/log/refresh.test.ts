import { copyFileSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../../../shared/clock.js';
import { dataFolder, numbers, startEventLog } from '../../../../test/fakes/event-log-bench.js';
import { LmdbFile } from './lmdb-file.js';
import { LmdbStore } from './lmdb-store.js';
import { eventRecord } from './record.js';
import { Reserve } from './reserve.js';

async function newStore() {
  const folder = dataFolder();
  const file = new LmdbFile(folder);
  await file.writeOrigin({ format: 1, logId: 'log', site: 'lab' });
  const store = new LmdbStore(file, 'log');
  onTestFinished(() => store.close());
  const write = (events: number) => {
    const added = Array.from({ length: events }, (_, n) => plain(store.last + n + 1, `node-${n % 97}`));
    return store.write({ added, removed: [] });
  };
  return { folder, store, write };
}

function plain(sequence: number, identity = 'node-1') {
  const header = { type: 'HOST_QUEUED', identity, runId: '', outcome: '' } as const;
  return eventRecord(sequence, 0, header, Buffer.alloc(300));
}

/** Of a file, what this process holds in memory: KiB. */
function residentKiB(path: string): number {
  let isOfFile = false;
  let sum = 0;
  for (const line of readFileSync('/proc/self/smaps', 'utf8').split('\n')) {
    if (/^[0-9a-f]+-[0-9a-f]+ /.test(line)) isOfFile = line.endsWith(path);
    else if (isOfFile) sum += Number(/^Rss: +(\d+)/.exec(line)?.[1] ?? 0);
  }
  return sum;
}

describe('the file of an event log that is refreshed', () => {
  it.runIf(process.platform === 'linux')('is hardly in memory any more, and whole', async () => {
    const { folder, store, write } = await newStore();
    for (let n = 0; n < 50; n += 1) await write(200);
    const path = join(folder, 'data.mdb');
    const before = residentKiB(path);
    await nextTurn();
    await store.refresh(10_000);
    expect(before).toBeGreaterThan(3_000);
    expect(residentKiB(path)).toBeLessThan(before / 4);
    await write(1);
    store.verify();
    expect(store.last).toBe(10_001);
  });

  it.runIf(process.platform === 'linux')(
    'is opened again after as many records, read or written',
    async () => {
      const { folder, store, write } = await newStore();
      await write(2_000);
      await nextTurn();
      await store.refresh(1);
      store.read(1, 1_000);
      const path = join(folder, 'data.mdb');
      const read = residentKiB(path);
      await store.refresh(1_001);
      expect(residentKiB(path)).toBeGreaterThanOrEqual(read);
      await store.refresh(1_000);
      expect(residentKiB(path)).toBeLessThan(read);
    },
  );

  it('is read and followed meanwhile as at any time', async () => {
    const { store, write } = await newStore();
    await write(1_000);
    let isDone = false;
    let reads = 0;
    const reading = (async () => {
      for (; !isDone; reads += 1) {
        expect(store.read(1 + (reads % 990), 10)).toHaveLength(10);
        expect([...store.numbers('node-1', { order: 'NEWEST_FIRST', from: 500, max: 3 })]).toHaveLength(3);
        await nextTurn();
      }
    })();
    for (let n = 0; n < 50; n += 1) {
      await write(5);
      await nextTurn();
      await store.refresh(1);
    }
    isDone = true;
    await reading;
    expect(reads).toBeGreaterThan(50);
    store.verify();
  });

  it('stays open on a disk that takes nothing just now', async () => {
    const { store, write } = await newStore();
    await write(10);
    const closed = vi.spyOn(LmdbFile.prototype, 'close');
    const take = vi.spyOn(Reserve.prototype, 'take').mockRejectedValue(new Error('EROFS'));
    onTestFinished(() => void vi.restoreAllMocks());
    await store.refresh(1);
    expect(closed).not.toHaveBeenCalled();
    take.mockRestore();
    await store.refresh(1);
    expect(closed).toHaveBeenCalled();
    expect(store.read(1, 100)).toHaveLength(10);
  });

  it('stays ours, and is read, where another process that starts looked at it just then', async () => {
    const { store, write } = await newStore();
    await write(10);
    const isTaken = vi.spyOn(LmdbFile.prototype, 'isTaken').mockReturnValue(true);
    onTestFinished(() => isTaken.mockRestore());
    await store.refresh(1);
    expect(store.read(1, 100)).toHaveLength(10);
    await expect(write(1)).rejects.toThrow('is open in another process');
    isTaken.mockRestore();
    await write(1);
    expect(store.read(1, 100)).toHaveLength(11);
  });

  it('is written no more once another process has written to it', async () => {
    const { folder, store, write } = await newStore();
    await write(10);
    const isTaken = vi.spyOn(LmdbFile.prototype, 'isTaken').mockReturnValue(true);
    onTestFinished(() => isTaken.mockRestore());
    await store.refresh(1);
    const other = new LmdbStore(new LmdbFile(folder), 'log');
    await other.write({ added: [plain(11)], removed: [] });
    await other.close();
    isTaken.mockRestore();
    for (let tries = 0; tries < 3; tries += 1) {
      await expect(write(1)).rejects.toThrow('was changed by others');
    }
  });

  it('is not exchanged for another that was put in its place', async () => {
    const { folder, store, write } = await newStore();
    await write(10);
    const path = join(folder, 'data.mdb');
    copyFileSync(path, `${path}.copy`);
    await write(10);
    renameSync(`${path}.copy`, path);
    await nextTurn();
    await store.refresh(1);
    expect(store.read(1, 100)).toHaveLength(20);
  });

  it('is not exchanged for another that is put in its place while the disk is tried', async () => {
    const { folder, store, write } = await newStore();
    await write(10);
    const path = join(folder, 'data.mdb');
    copyFileSync(path, `${path}.copy`);
    await write(10);
    const take = vi.spyOn(Reserve.prototype, 'take').mockImplementation(async () => {
      renameSync(`${path}.copy`, path);
    });
    onTestFinished(() => take.mockRestore());
    await store.refresh(1);
    expect(take).toHaveBeenCalled();
    expect(store.read(1, 100)).toHaveLength(20);
  });
});

describe('an event log', () => {
  it('gives back memory after many events, and within a minute where there are few', async () => {
    const { clock, disk, publish, committed } = await startEventLog();
    const asked: number[] = [];
    disk.mayRefresh = (touched) => void asked.push(touched);
    publish(1_500);
    await committed(1_500);
    // It looks whether something is too much by now, and rests.
    await nextTurn();
    await nextTurn();
    expect(new Set(asked)).toEqual(new Set([5_000]));
    asked.length = 0;
    await clock.advance(60_000);
    expect(asked).toEqual([500]);
  });

  it('is read and written as at any time while it gives back memory', async () => {
    const { events, disk, publish } = await startEventLog({ clock: systemClock, gatherMs: 1 });
    disk.refreshing = 'REOPENED';
    const closed = vi.spyOn(LmdbFile.prototype, 'close');
    onTestFinished(() => closed.mockRestore());
    let [published, at] = [0, 0];
    while (at < 12_000) {
      // One write after the other, as long as it takes.
      if (at === published) {
        publish(200);
        published += 200;
      }
      for (const item of events.read(at, 200)) {
        expect(item).toMatchObject({ kind: 'EVENT', sequence: at + 1 });
        at += 1;
      }
      await nextTurn();
    }
    expect(closed).toHaveBeenCalled();
    expect(events.status).toMatchObject({ failing: false, lost: 0 });
  });

  it('goes on where the file could not be opened again, and loses nothing', async () => {
    const { events, clock, disk, publish, committed } = await startEventLog();
    publish(3);
    await committed(3);
    disk.refreshing = 'SHUT';
    disk.isFull = true;
    await clock.advance(60_000);
    publish(1);
    await clock.advance(1_000);
    expect(events.status).toMatchObject({ last: 3, failing: true });
    disk.refreshing = 'NOTHING';
    disk.isFull = false;
    const written = committed(4);
    await clock.advance(1_000);
    await written;
    expect(numbers(events.read(0, 10))).toEqual(['1', '2', '3', '4']);
    expect(events.status).toMatchObject({ failing: false, lost: 0 });
  });
});
