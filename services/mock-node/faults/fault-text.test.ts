import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readFaultText } from './fault-text.js';

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-faults-'));
  path = join(folder, 'faults');
});

afterEach(() => rmSync(folder, { recursive: true }));

test('the text of a file is read', async () => {
  writeFileSync(path, 'jwt:hang # from now on\n');
  expect(await readFaultText(path)).toBe('jwt:hang # from now on\n');
});

test('a file that is not there is told', async () => {
  await expect(readFaultText(path)).rejects.toThrow('ENOENT');
});

test('a folder is told', async () => {
  await expect(readFaultText(folder)).rejects.toThrow('it is no regular file');
});

test('a pipe that nobody writes to is told, and not waited for', async () => {
  execFileSync('mkfifo', [path]);
  await expect(readFaultText(path)).rejects.toThrow('it is no regular file');
});

test('a device that never ends is told, and not read', async () => {
  await expect(readFaultText('/dev/zero')).rejects.toThrow('it is no regular file');
});

test('a file that is far too long is told, and not read', async () => {
  writeFileSync(path, '#'.repeat((1 << 20) + 1));
  await expect(readFaultText(path)).rejects.toThrow('it has 1048577 bytes, more than 1048576');
});
