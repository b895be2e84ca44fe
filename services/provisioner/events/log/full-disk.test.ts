import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { silentLogger } from '../../../../shared/logger.js';
import { FakeClock } from '../../../../test/fakes/fake-clock.js';
import { mayMount, SmallDisk } from '../../../../test/fakes/small-disk.js';
import { openStore } from './open.js';
import { eventRecord } from './record.js';
import type { LogStore } from './store.js';

function smallDisk(): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-full-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return SmallDisk.mount(folder, '1m');
}

async function open({ folder: dataDir }: SmallDisk): Promise<LogStore> {
  const store = await openStore({ dataDir, site: 'lab', clock: new FakeClock(), log: silentLogger() });
  onTestFinished(() => store.close());
  return store;
}

function write(store: LogStore, events = 200): Promise<void> {
  const header = { type: 'HOST_QUEUED', identity: 'a', runId: '', outcome: '' } as const;
  const added = Array.from({ length: events }, (_, n) =>
    eventRecord(store.last + n + 1, 0, header, Buffer.alloc(300)),
  );
  return store.write({ added, removed: [] });
}

/** Writes until that fails. */
async function writeOn(store: LogStore): Promise<void> {
  for (let n = 0; n < 100; n += 1) await write(store);
}

/** What LMDB says of a write that failed: it is not to be given any that might. */
const said = vi.fn();

beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(said));

afterEach(() => {
  vi.restoreAllMocks();
  expect(said).not.toHaveBeenCalled();
});

const noSpace = /no space is left on the disk of .*events/;

describe.skipIf(!mayMount)('the event log on a full disk', () => {
  it('keeps nothing of what was not written whole, and takes events again when there is room', async () => {
    const disk = smallDisk();
    const store = await open(disk);
    disk.fill();
    disk.empty(600_000);
    await expect(writeOn(store)).rejects.toThrow(noSpace);
    const { last } = store;
    expect(store.read(1, 100_000)).toHaveLength(last);
    await expect(write(store)).rejects.toThrow(noSpace);
    disk.empty();
    await write(store);
    expect(store.read(1, 100_000)).toHaveLength(last + 200);
    expect(readdirSync(join(disk.folder, 'events')).sort()).toEqual(['data.mdb', 'lock.mdb']);
  });

  it('can be read after it was asked to give back memory, and goes on when there is room', async () => {
    const disk = smallDisk();
    const store = await open(disk);
    await write(store);
    disk.fill();
    await store.refresh(1);
    expect(store.read(1, 1_000)).toHaveLength(200);
    disk.empty();
    await store.refresh(1);
    await write(store);
    expect(store.read(1, 1_000)).toHaveLength(400);
  });

  it('is opened with all that it has, and goes on when there is room', async () => {
    const disk = smallDisk();
    const before = await open(disk);
    await write(before);
    await before.close();
    disk.fill();
    const store = await open(disk);
    expect(store).toMatchObject({ logId: before.logId, last: 200 });
    await expect(write(store)).rejects.toThrow(noSpace);
    expect(store.read(1, 1_000)).toHaveLength(200);
    disk.empty();
    await write(store);
    expect(store.last).toBe(400);
  });

  it('is not begun: the start is refused, names the folder and says to make room', async () => {
    const disk = smallDisk();
    disk.fill();
    for (let start = 0; start < 2; start += 1) {
      await expect(open(disk)).rejects.toThrow(
        /the event log in .*events cannot be opened: no space .*; make room/,
      );
    }
    disk.empty();
    expect((await open(disk)).last).toBe(0);
    expect(readdirSync(disk.folder).sort()).toEqual(['ballast', 'events']);
  });

  it('is not gone on with where it has fallen back, until its new id can be written', async () => {
    const disk = smallDisk();
    const before = await open(disk);
    await write(before);
    await before.close();
    writeFileSync(join(disk.folder, 'events.head'), JSON.stringify({ log_id: before.logId, last: 300 }));
    disk.fill();
    await expect(open(disk)).rejects.toThrow(/make room/);
    disk.empty();
    const store = await open(disk);
    expect(store.last).toBe(200);
    expect(store.logId).not.toBe(before.logId);
  });

  it('is neither damaged nor set aside where its lock file is missing and cannot be made', async () => {
    const disk = smallDisk();
    const before = await open(disk);
    await write(before);
    await before.close();
    rmSync(join(disk.folder, 'events/lock.mdb'));
    disk.fill();
    await expect(open(disk)).rejects.toThrow(/make room/);
    disk.empty();
    expect(await open(disk)).toMatchObject({ logId: before.logId, last: 200 });
  });
});
