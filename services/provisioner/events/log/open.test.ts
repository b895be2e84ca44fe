import { spawn } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open as openLmdb } from 'lmdb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../../../test/fakes/fake-clock.js';
import { usedBytes } from '../../../../test/fakes/log-file.js';
import { openStore } from './open.js';
import { eventRecord } from './record.js';
import type { LogStore } from './store.js';

let dataDir: string;
let warnings: { readonly why: string; readonly aside: string }[];
const stores: LogStore[] = [];

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'slipway-open-'));
  warnings = [];
});

afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close()));
  rmSync(dataDir, { recursive: true });
});

async function open(site = 'lab'): Promise<LogStore> {
  const warn = (fields: object) => void warnings.push(fields as (typeof warnings)[number]);
  const log = { warn, info: () => {} } as unknown as Parameters<typeof openStore>[0]['log'];
  const store = await openStore({ dataDir, site, clock: new FakeClock(), log });
  stores.push(store);
  return store;
}

async function close(store: LogStore): Promise<void> {
  stores.splice(stores.indexOf(store), 1);
  await store.close();
}

/** A log with events, closed again. */
async function written(count = 500): Promise<string> {
  const store = await open();
  const header = { type: 'HOST_QUEUED', identity: 'a', runId: '', outcome: '' } as const;
  const added = Array.from({ length: count }, (_, n) => eventRecord(n + 1, 0, header, Buffer.alloc(200)));
  await store.write({ added, removed: [] });
  await close(store);
  return store.logId;
}

const file = () => join(dataDir, 'events/data.mdb');

async function expectNewLog(why: RegExp, site = 'lab'): Promise<void> {
  const store = await open(site);
  expect(store.last).toBe(0);
  expect(warnings).toHaveLength(1);
  expect(warnings[0]?.why).toMatch(why);
  expect(readdirSync(dataDir)).toContain('events.damaged-2030-01-01T00-00-00-000Z');
}

describe('the file of the event log', () => {
  it('is used again where it is whole', async () => {
    const logId = await written();
    const store = await open();
    expect(store).toMatchObject({ logId, last: 500 });
    expect(warnings).toEqual([]);
  });

  it('is set aside where it is not one of LMDB', async () => {
    mkdirSync(join(dataDir, 'events'));
    writeFileSync(file(), 'abc'.repeat(10_000));
    await expectNewLog(/not a file of LMDB/);
    const [aside = ''] = readdirSync(dataDir).filter((name) => name !== 'events');
    expect(readFileSync(join(dataDir, aside, 'data.mdb'), 'utf8')).toBe('abc'.repeat(10_000));
  });

  it('is set aside where it is of another site', async () => {
    await written();
    await expectNewLog(/of the site lab, not of another/, 'another');
  });

  it('is set aside where it is of another program', async () => {
    const root = openLmdb({ path: join(dataDir, 'events'), noSubdir: false, overlappingSync: false });
    await root.put('anything', 1);
    await root.close();
    await expectNewLog(/not an event log/);
  });

  it('is set aside where it is in a format to come', async () => {
    const root = openLmdb({ path: join(dataDir, 'events'), encoding: 'binary', overlappingSync: false });
    await root.put('origin', Buffer.from('{"format":2,"logId":"x","site":"lab"}'));
    await root.close();
    await expectNewLog(/in format 2/);
  });

  it.each([0.9, 0.5, 0.1])('is set aside where it was cut to %d of its length', async (part) => {
    await written();
    truncateSync(file(), Math.floor((usedBytes(file()) * part) / 4096) * 4096);
    await expectNewLog(/./);
  });

  it('is set aside where it is no folder', async () => {
    writeFileSync(join(dataDir, 'events'), 'a file');
    await expectNewLog(/ENOTDIR/);
  });

  it('is refused while it is open', async () => {
    await open();
    await expect(open()).rejects.toThrow(/open in another process; stop that one/);
    expect(warnings).toEqual([]);
  });

  it('is refused while another process has it open, and not once that one was killed', async () => {
    const logId = await written();
    const script =
      "import { open } from 'lmdb'; const root = open({ path: process.argv[1], noSubdir: false," +
      " encoding: 'binary', overlappingSync: false }); root.get('origin'); console.log('open');" +
      ' setInterval(() => {}, 1000);';
    const args = ['--input-type=module', '-e', script, join(dataDir, 'events')];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    try {
      await new Promise((resolve) => child.stdout.once('data', resolve));
      await expect(open()).rejects.toThrow(/open in another process/);
    } finally {
      child.kill('SIGKILL');
      await ended;
    }
    expect((await open()).logId).toBe(logId);
  });
});
