import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { addCounts, countSuite, formatCounts } from './counts.js';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-counts-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

function report(passed: number, failed: number, pending: number): string {
  const path = join(folder, 'report.json');
  const counts = {
    numPassedTests: passed,
    numFailedTests: failed,
    numPendingTests: pending,
    numTodoTests: 0,
  };
  writeFileSync(path, JSON.stringify(counts));
  return path;
}

test('a suite counts its own tests', () => {
  expect(countSuite(report(7, 2, 1), false)).toEqual({ passed: 7, failed: 2, skipped: 1 });
});

test('a suite that ended badly without a failed test counts as one failure', () => {
  expect(countSuite(report(7, 0, 0), false)).toEqual({ passed: 7, failed: 1, skipped: 0 });
});

test('a suite that wrote no report counts as one failure', () => {
  expect(countSuite(join(folder, 'none.json'), false)).toEqual({ passed: 0, failed: 1, skipped: 0 });
});

test('skipped tests are named only where there are any', () => {
  const some = { passed: 2, failed: 0, skipped: 0 };
  expect(formatCounts(some)).toBe('2 passed, 0 failed');
  expect(formatCounts(addCounts(some, { passed: 1, failed: 1, skipped: 3 }))).toBe(
    '3 passed, 1 failed, 3 skipped',
  );
});
