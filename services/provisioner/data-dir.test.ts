import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { prepareDataDir } from './data-dir.js';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-data-dir-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

describe('data_dir', () => {
  it('is made with its parents, and taken as it is where it is there', async () => {
    const wanted = join(folder, 'a/b/c');
    await prepareDataDir(wanted);
    expect(existsSync(wanted)).toBe(true);
    await prepareDataDir(wanted);
  });

  it('is refused below a file', async () => {
    writeFileSync(join(folder, 'file'), '');
    await expect(prepareDataDir(join(folder, 'file/data'))).rejects.toThrow(
      /data_dir .* cannot be written to/,
    );
  });

  it.skipIf(!existsSync('/proc'))('is refused at once where nobody can make folders', async () => {
    await expect(prepareDataDir('/proc/x/y')).rejects.toThrow(/data_dir \/proc\/x\/y cannot be written to/);
  });
});
