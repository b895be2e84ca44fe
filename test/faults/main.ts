// Runs the fault matrix and the tests of faults with real processes, and ends by printing which step met which fault, and
// how it went. Options are vitest's; a JSON report that they ask for is written there.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { missingCells, printTable, readVerdicts } from './verdicts.js';

const reportOption = '--outputFile.json=';

function run(options: readonly string[], report: string): boolean {
  const projects = ['--project', 'matrix', '--project', 'faults'];
  const { status } = spawnSync('npx', ['vitest', 'run', ...projects, ...options], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const verdicts = readVerdicts(readFileSync(report, 'utf8'));
  process.stdout.write(`\n${printTable(verdicts)}\n`);
  const missing = missingCells(verdicts.matrix);
  if (missing.length > 0) process.stdout.write(`\nno test was run for: ${missing.join('; ')}\n`);
  return status === 0 && missing.length === 0;
}

function main(options: readonly string[]): void {
  const given = options.find((option) => option.startsWith(reportOption));
  if (given !== undefined) {
    process.exitCode = run(options, given.slice(reportOption.length)) ? 0 : 1;
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'slipway-faults-'));
  const report = join(folder, 'report.json');
  try {
    const reporting = ['--reporter=default', '--reporter=json', `${reportOption}${report}`];
    process.exitCode = run([...reporting, ...options], report) ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

main(process.argv.slice(2));
