import { mkdtempSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeLockFile, tryToWrite, whyNotWritten } from './disk.js';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-disk-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

describe('a disk that does not take the log', () => {
  it.each([
    [{ code: 'ENOSPC', errno: -28 }, 'no space is left on the disk of /log'],
    [{ code: 28 }, 'no space is left on the disk of /log'],
    [{ code: 'Unknown system error -122', errno: -122 }, 'the quota on the disk of /log is used up'],
    [{ code: 30 }, 'the disk of /log is mounted read-only'],
    [{ code: 'EIO', errno: -5 }, 'the disk of /log fails (input/output error)'],
    [{ code: 'EMFILE', errno: -24 }, '/log cannot be written: no'],
  ])('says why: %j', (error, why) => {
    expect(whyNotWritten('/log', Object.assign(new Error('no'), error))).toBe(why);
  });

  it('is tried without a trace', async () => {
    await tryToWrite(folder, 100_000);
    expect(readdirSync(folder)).toEqual([]);
    await expect(tryToWrite(join(folder, 'missing'), 1)).rejects.toThrow(/ENOENT/);
  });
});

describe('the lock file', () => {
  const lock = () => join(folder, 'events/lock.mdb');

  it('is made with all the room that it takes, and so is its folder', async () => {
    await makeLockFile(join(folder, 'events'));
    const { size, blocks } = statSync(lock());
    expect(blocks * 512).toBeGreaterThanOrEqual(size);
    expect(size).toBeGreaterThan(8_272);
  });

  it('is made longer where it was not finished, and left alone where it was', async () => {
    await makeLockFile(join(folder, 'events'));
    const { size } = statSync(lock());
    truncateSync(lock(), 4_096);
    await makeLockFile(join(folder, 'events'));
    expect(statSync(lock()).size).toBe(size);
    writeFileSync(lock(), Buffer.alloc(2 * size, 1));
    await makeLockFile(join(folder, 'events'));
    expect(statSync(lock()).size).toBe(2 * size);
  });
});
