import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runVectors } from './run-vectors.js';

const ownFolder = fileURLToPath(new URL('.', import.meta.url));
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-vectors-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

async function run(dir: string): Promise<{ totals: object; lines: string[] }> {
  const lines: string[] = [];
  const totals = await runVectors(dir, (line) => lines.push(line));
  return { totals, lines };
}

/** The command as people call it. */
function command(...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const main = join(ownFolder, 'main.ts');
    const child = execFile(process.execPath, ['--import', 'tsx', main, ...args], (_error, stdout, stderr) => {
      resolve({ code: child.exitCode, stdout, stderr });
    });
  });
}

function write(name: string, content: unknown): Promise<void> {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  return writeFile(join(folder, name), text);
}

test('this build passes the shared cases', async () => {
  const { totals, lines } = await run(ownFolder);
  expect(lines.filter((line) => line.includes('FAILED'))).toEqual([]);
  expect(totals).toEqual({ passed: 205, failed: 0, skipped: 0, malformed: 0 });
  expect(lines.at(-1)).toBe('205 passed, 0 failed');
});

test('a case that does not hold is named with what was expected and what came', async () => {
  await write('shellquote.json', {
    vectors: [
      { input: 'a b', words: ['a', 'b'], error: null },
      { input: 'a b', words: ['a b'], error: null },
      { input: '"', words: null, error: 'Some other sentence' },
    ],
  });
  expect(await run(folder)).toEqual({
    totals: { passed: 1, failed: 2, skipped: 0, malformed: 0 },
    lines: [
      'shellquote.json: 1 passed, 2 failed, 0 skipped',
      '  FAILED "a b": expected ["a b"], got ["a","b"]',
      '  FAILED "\\"": expected error: Some other sentence, got error: Unterminated double-quoted string',
      '1 passed, 2 failed',
    ],
  });
});

test('a file that is not known is said to be ignored', async () => {
  await write('version-compare.json', { vectors: [{ a: '1.0~rc1', b: '1.0', expected: -1 }] });
  await write('shoes.json', { vectors: [] });
  expect(await run(folder)).toEqual({
    totals: { passed: 1, failed: 0, skipped: 0, malformed: 0 },
    lines: [
      'shoes.json: ignored: no vector file that is known',
      'version-compare.json: 1 passed, 0 failed, 0 skipped',
      '1 passed, 0 failed',
    ],
  });
});

test('a malformed file fails by name, and the others are still checked', async () => {
  await write('durations.json', '{"vectors":');
  await write('helper-replies.json', { vectors: {} });
  await write('shellquote.json', { vectors: [{ input: 'a', words: ['a'] }] });
  const { totals, lines } = await run(folder);
  expect(totals).toEqual({ passed: 1, failed: 2, skipped: 0, malformed: 2 });
  expect(lines[0]).toMatch(/^durations\.json: cannot be used: .*JSON/);
  expect(lines[1]).toMatch(/^helper-replies\.json: cannot be used: vectors: .*array/);
  expect(lines.at(-1)).toBe('1 passed, 2 failed');
});

test('a malformed case fails by its place, and the others are still checked', async () => {
  await write('durations.json', {
    vectors: [{ input: '1s', ok: true }, null, { input: '1s', ok: true, ns: '1000000000' }],
  });
  const { totals, lines } = await run(folder);
  expect(totals).toEqual({ passed: 1, failed: 2, skipped: 0, malformed: 0 });
  expect(lines[1]).toMatch(/^ {2}FAILED vectors\[0\]: ns: /);
  expect(lines[2]).toMatch(/^ {2}FAILED vectors\[1\]: /);
});

test('a folder that is missing or has no known file is refused', async () => {
  await expect(runVectors(join(folder, 'missing'), () => {})).rejects.toThrow(/cannot read the folder/);
  await write('other.json', {});
  await expect(runVectors(folder, () => {})).rejects.toThrow(/no vector file that is known/);
});

test('the exit code says whether all passed, a case failed, or the folder is unusable', async () => {
  await write('durations.json', { vectors: [{ input: '1m', ok: true, ns: '60000000000' }] });
  expect(await command(folder)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/\n1 passed, 0 failed\n$/),
  });
  await write('durations.json', { vectors: [{ input: '1m', ok: false }] });
  expect(await command(folder)).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/\n0 passed, 1 failed\n$/),
  });
  await write('durations.json', '[]');
  expect(await command(folder)).toMatchObject({ code: 2 });
  expect(await command(join(folder, 'missing'))).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('missing'),
  });
  expect(await command('--help')).toMatchObject({ code: 2, stderr: expect.stringContaining('usage') });
}, 60_000);
