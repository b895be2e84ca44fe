// The slipway command as a process: standard input, exit codes, and the folder that it is called from.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-command-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

function run(args: readonly string[], input = '') {
  const command = ['--import', join(root, 'node_modules/tsx/dist/esm/index.mjs'), join(root, 'cli/main.ts')];
  return spawnSync(process.execPath, [...command, ...args], { cwd: folder, input, encoding: 'utf8' });
}

test('a token comes from standard input, and the exit code says what it is worth', () => {
  const own = run(['keys', 'new', 'site.seed']).stdout.trim();
  const other = run(['keys', 'new', 'other.seed']).stdout.trim();
  expect(run(['token', 'provisioning', 'node.jwt', '--signing-key', 'site.seed']).status).toBe(0);
  const token = readFileSync(join(folder, 'node.jwt'), 'utf8');
  expect(run(['token', 'verify', '-', '--key', own], token)).toMatchObject({ status: 0, stderr: '' });
  expect(run(['token', 'verify', '-', '--key', other], token)).toMatchObject({ status: 1, stdout: '' });
  expect(run(['token', 'verify', '-'], token)).toMatchObject({ status: 2, stdout: '' });
});

test('paths are meant from the folder that it is called from, also as a script of npm', () => {
  expect(run(['keys', 'new', 'here.seed']).status).toBe(0);
  const { status, stderr } = spawnSync(
    'npm',
    ['run', '--silent', '--prefix', root, 'slipway', '--', 'keys', 'new', 'there.seed'],
    { cwd: folder, encoding: 'utf8' },
  );
  expect(status, stderr).toBe(0);
  for (const name of ['here.seed', 'there.seed']) expect(existsSync(join(folder, name))).toBe(true);
});
