import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { writeWhole } from './write.js';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'slipway-write-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

test('a file is written with its mode, and nothing beside it', async () => {
  const path = join(folder(), 'site.seed');
  await writeWhole({ path, text: 'seed', isPrivate: true }, false);
  expect(readFileSync(path, 'utf8')).toBe('seed');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(path, '..'))).toEqual(['site.seed']);
});

test('a file that cannot be written leaves nothing, under its name or another', async () => {
  const directory = folder();
  // There is room for the name, and none for the longer one that the file has until it is whole.
  const path = join(directory, 'k'.repeat(240));
  await expect(writeWhole({ path, text: 'seed', isPrivate: true }, false)).rejects.toThrow('cannot write');
  expect(readdirSync(directory)).toEqual([]);
});

test.each(['a file', 'a link that leads nowhere'])('%s that is there stays', async (what) => {
  const directory = folder();
  const path = join(directory, 'site.seed');
  if (what === 'a file') writeFileSync(path, 'old');
  else symlinkSync('nowhere', path);
  await expect(writeWhole({ path, text: 'new', isPrivate: true }, false)).rejects.toThrow('--force');
  expect(readdirSync(directory)).toEqual(['site.seed']);
});
