import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { diskFiles, sharingSyncs } from './files.js';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-files-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

test('files are written, listed, renamed, read and removed', async () => {
  const at = (name: string) => join(folder, 'a/b', name);
  await diskFiles.makeDirectory(join(folder, 'a/b'));
  await diskFiles.write(at('x'), 'first', 0o600);
  await diskFiles.write(at('x'), 'next', 0o600);
  expect(statSync(at('x')).mode & 0o777).toBe(0o600);
  await diskFiles.write(at('y'), Buffer.from('other'), 0o644);
  await diskFiles.rename(at('x'), at('y'));
  await diskFiles.sync(join(folder, 'a/b'));
  expect(await diskFiles.list(join(folder, 'a/b'))).toEqual(['y']);
  expect(String(await diskFiles.read(at('y')))).toBe('next');
  await diskFiles.remove(join(folder, 'a'));
  expect(await diskFiles.list(folder)).toEqual([]);
});

test('files have the permissions that were asked for, whatever the umask', async () => {
  const umask = process.umask(0o077);
  onTestFinished(() => void process.umask(umask));
  await diskFiles.write(join(folder, 'open'), 'x', 0o644);
  await diskFiles.write(join(folder, 'closed'), 'x', 0o600);
  await diskFiles.makeDirectory(join(folder, 'a'));
  const modes = ['open', 'closed', 'a'].map((name) => diskFiles.mode(join(folder, name)));
  expect(await Promise.all(modes)).toEqual([0o644, 0o600, 0o700]);
  expect(await diskFiles.mode(join(folder, 'x'))).toBeUndefined();
});

test('what is not there reads as nothing and is removed already', async () => {
  expect(await diskFiles.read(join(folder, 'x'))).toBeUndefined();
  expect(await diskFiles.list(join(folder, 'x'))).toEqual([]);
  await diskFiles.remove(join(folder, 'x'));
  await expect(diskFiles.rename(join(folder, 'x'), join(folder, 'y'))).rejects.toThrow('ENOENT');
});

test('syncs of a folder that come while one is under way share the next', async () => {
  const releases: (() => void)[] = [];
  const shared = sharingSyncs(
    { ...diskFiles, sync: () => new Promise<void>((resolve) => releases.push(resolve)) },
    '/nodes',
  );
  const done: number[] = [];
  const syncs = [1, 2, 3].map((number) => shared.sync('/nodes').then(() => done.push(number)));
  expect(releases).toHaveLength(1);
  releases[0]?.();
  await syncs[0];
  expect(done).toEqual([1]);
  await expect.poll(() => releases.length).toBe(2);
  releases[1]?.();
  await Promise.all(syncs);
  expect(releases).toHaveLength(2);
});
