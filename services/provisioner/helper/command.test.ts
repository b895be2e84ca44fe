import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CommandError, parseHelperCommand, startProblem } from './command.js';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-command-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

async function file(name: string, content: string, mode = 0o755): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  await chmod(path, mode);
  return path;
}

test('the setting is a program and its arguments', () => {
  expect(parseHelperCommand('/usr/bin/helper --flag "a b" ""')).toEqual([
    '/usr/bin/helper',
    '--flag',
    'a b',
    '',
  ]);
});

test.each([
  ['', 'it names no program'],
  [' \n ', 'it names no program'],
  ["'' x", 'it names no program'],
  ["don't", 'Unterminated single-quoted string'],
  ['a\0b', 'it has a NUL character'],
])('%j is refused: %s', (text, message) => {
  expect(() => parseHelperCommand(text)).toThrow(new CommandError(message));
});

test('nothing speaks against a script, a program of the system, or a link to one', async () => {
  expect(await startProblem(await file('good', '#! /bin/sh\n'), undefined)).toBeUndefined();
  expect(await startProblem('/bin/sh', undefined)).toBeUndefined();
  expect(await startProblem('sh', '/nowhere:/bin')).toBeUndefined();
  await symlink('/bin/sh', join(folder, 'link'));
  expect(await startProblem('link', folder)).toBeUndefined();
});

test('a program that cannot be started is explained', async () => {
  const missing = join(folder, 'missing');
  expect(await startProblem(missing, undefined)).toBe(`helper ${missing} does not exist`);
  expect(await startProblem(`${missing}/x`, undefined)).toBe(`helper ${missing}/x does not exist`);
  expect(await startProblem(folder, undefined)).toBe(`helper ${folder} is no file`);
  expect(await startProblem('missing', folder)).toBe(`helper missing was not found in PATH (${folder})`);
  expect(await startProblem('x', undefined)).toBe('helper x was not found in PATH (which is not set)');
  const data = await file('data', '{}', 0o644);
  expect(await startProblem(data, undefined)).toBe(`helper ${data} is not executable for this user`);
  const orphan = await file('orphan', '#!/no/such/ruby -w\n');
  expect(await startProblem(orphan, undefined)).toBe(
    `helper ${orphan} names the interpreter /no/such/ruby, which cannot be run`,
  );
  const dos = await file('dos', '#!/bin/sh\r\n');
  expect(await startProblem(dos, undefined)).toBe(
    `helper ${dos} has Windows line ends, so its interpreter is not found`,
  );
});

test('in PATH the first program that can be started counts, and else the first that is there', async () => {
  await file('tool', '#!/bin/sh\n', 0o644);
  await mkdir(join(folder, 'bin'));
  await file('bin/tool', '#!/bin/sh\n');
  expect(await startProblem('tool', `${folder}:${folder}/bin`)).toBeUndefined();
  expect(await startProblem('tool', `/nowhere:${folder}`)).toBe(
    `helper ${folder}/tool is not executable for this user`,
  );
});
