// Counts what ran. Reading a report of vitest is all it knows of any runner.

import { readFileSync } from 'node:fs';
import { z } from 'zod';

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** A check that passed. */
export const passed: Counts = { passed: 1, failed: 0, skipped: 0 };

/** A check that failed. */
export const failed: Counts = { passed: 0, failed: 1, skipped: 0 };

const reportSchema = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numPendingTests: z.number(),
  numTodoTests: z.number(),
});

/** @returns the sums */
export function addCounts(a: Counts, b: Counts): Counts {
  return { passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped };
}

/** @returns "N passed, N failed", with ", N skipped" where any was */
export function formatCounts(counts: Counts): string {
  const skipped = counts.skipped === 0 ? '' : `, ${counts.skipped} skipped`;
  return `${counts.passed} passed, ${counts.failed} failed${skipped}`;
}

/**
 * Counts a suite from its JSON report at `path`. A suite that did not end well has at least one failure,
 * also where no test says so (a file that does not load, an error outside tests) or no report was written.
 */
export function countSuite(path: string, endedWell: boolean): Counts {
  const counts = readReport(path) ?? { passed: 0, failed: 0, skipped: 0 };
  return endedWell || counts.failed > 0 ? counts : { ...counts, failed: 1 };
}

function readReport(path: string): Counts | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
  const report = reportSchema.parse(JSON.parse(text));
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}
