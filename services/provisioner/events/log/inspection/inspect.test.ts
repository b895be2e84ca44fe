import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, truncateSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../../../../test/fakes/fake-clock.js';
import { usedBytes } from '../../../../../test/fakes/log-file.js';
import { openStore } from '../open.js';
import { isDamage } from '../origin.js';
import { eventRecord } from '../record.js';
import { inspect } from './inspect.js';

const pageBytes = 4_096;
let dataDir: string;
let folder: string;

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'slipway-inspect-'));
  folder = join(dataDir, 'events');
  const log = { warn: () => {}, info: () => {} };
  const store = await openStore({ dataDir, site: 'lab', clock: new FakeClock(), log });
  const header = { type: 'HOST_QUEUED', runId: '', outcome: '' } as const;
  const added = Array.from({ length: 500 }, (_, n) =>
    eventRecord(n + 1, 0, { ...header, identity: `node-${n % 50}` }, Buffer.alloc(200)),
  );
  await store.write({ added, removed: [] });
  await store.close();
});

afterEach(() => rmSync(dataDir, { recursive: true }));

const file = () => join(folder, 'data.mdb');

function overwritePage(page: number): void {
  writeSync(openSync(file(), 'r+'), Buffer.alloc(pageBytes), 0, pageBytes, page * pageBytes);
}

/** Pages in which events lie. */
function pagesWithEvents(): number[] {
  const bytes = readFileSync(file());
  const pages = Array.from({ length: bytes.length / pageBytes }, (_, page) => page);
  return pages.filter((page) =>
    bytes.subarray(page * pageBytes, (page + 1) * pageBytes).includes('HOST_QUEUED'),
  );
}

describe('the inspection of a log', () => {
  it('finds a whole one sound', async () => {
    expect(await inspect(folder, 'lab')).toEqual({ kind: 'SOUND' });
  });

  it('finds a page that was overwritten, whoever reads it', async () => {
    overwritePage(pagesWithEvents().at(-2) ?? 0);
    expect(await inspect(folder, 'lab')).toMatchObject({ kind: 'UNUSABLE' });
  });

  it('finds that events are missing where the file is cut off and filled up', async () => {
    const half = usedBytes(file()) / 2;
    const { length } = readFileSync(file());
    truncateSync(file(), half - (half % pageBytes));
    truncateSync(file(), length);
    expect(await inspect(folder, 'lab')).toMatchObject({ kind: 'UNUSABLE' });
  });

  it('says whose log it is where that is another', async () => {
    expect(await inspect(folder, 'another')).toEqual({
      kind: 'UNUSABLE',
      why: 'it is of the site lab, not of another',
    });
  });

  it('is none where the file cannot be looked at', async () => {
    const elsewhere = join(dataDir, 'elsewhere');
    mkdirSync(join(elsewhere, 'data.mdb'), { recursive: true });
    await expect(inspect(elsewhere, 'lab')).rejects.toThrow(/directory/);
  });
});

describe('an error on the way to a log', () => {
  const withCode = (code: string | number) => Object.assign(new Error('no'), { code });

  it.each([-30796, -30797, -30793, 'ENOTDIR'])('is damage: %s', (code) => {
    expect(isDamage(withCode(code))).toBe(true);
  });

  it.each(['EACCES', 'ENOSPC', 'EMFILE', 13, 5, -30792])('is none: %s', (code) => {
    expect(isDamage(withCode(code))).toBe(false);
  });

  it('is none where the quota is used up, for which Node has no word', () => {
    const error = Object.assign(withCode('Unknown system error -122'), { errno: -122 });
    expect(isDamage(error)).toBe(false);
  });
});
