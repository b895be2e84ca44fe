// Proves everything, one part after the other, also after one has failed, and ends with a line
// "N passed, N failed". What each part does is a script in package.json. What takes long, or needs a container
// engine, is left out unless it is asked for: --faults, --fleets, --containers.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addCounts, type Counts, countSuite, failed, formatCounts, passed } from './counts.js';

/** A check passes or fails as a whole; a suite counts its own tests. */
type Part = { readonly script: string; readonly kind: 'check' | 'suite' };

const parts: readonly Part[] = [
  { script: 'format', kind: 'check' },
  { script: 'types', kind: 'check' },
  { script: 'contracts:lint', kind: 'check' },
  { script: 'contracts:breaking', kind: 'check' },
  { script: 'contracts:fresh', kind: 'check' },
  { script: 'unused', kind: 'check' },
  { script: 'test:unit', kind: 'suite' },
  { script: 'test:matrix', kind: 'suite' },
  { script: 'test:integration', kind: 'suite' },
  { script: 'test:e2e', kind: 'suite' },
];
const onRequest: ReadonlyMap<string, Part> = new Map([
  ['--faults', { script: 'test:faults', kind: 'suite' }],
  ['--fleets', { script: 'test:fleets', kind: 'suite' }],
  ['--containers', { script: 'test:containers', kind: 'suite' }],
]);

function npmRun(script: string, options: readonly string[]): boolean {
  process.stdout.write(`\n== ${script}\n`);
  const { status } = spawnSync('npm', ['run', '--silent', script, '--', ...options], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return status === 0;
}

function run(part: Part, reports: string): Counts {
  if (part.kind === 'check') return npmRun(part.script, []) ? passed : failed;
  const report = join(reports, `${part.script.replace(':', '-')}.json`);
  const ok = npmRun(part.script, ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]);
  return countSuite(report, ok);
}

function main(chosen: readonly Part[]): void {
  const reports = mkdtempSync(join(tmpdir(), 'slipway-check-'));
  try {
    const results = chosen.map((part) => {
      const startedAt = performance.now();
      const counts = run(part, reports);
      return { part, counts, seconds: (performance.now() - startedAt) / 1000 };
    });
    const total = results.map((result) => result.counts).reduce(addCounts);
    process.stdout.write('\n');
    for (const { part, counts, seconds } of results) {
      const verdict = counts.failed === 0 ? 'ok    ' : 'FAILED';
      process.stdout.write(`${verdict} ${part.script}: ${formatCounts(counts)} (${seconds.toFixed(1)} s)\n`);
    }
    process.stdout.write(`${formatCounts(total)}\n`);
    process.exitCode = total.failed === 0 ? 0 : 1;
  } finally {
    rmSync(reports, { recursive: true });
  }
}

const wanted = [...onRequest].filter(([flag]) => process.argv.includes(flag)).map(([, part]) => part);
// The tests of faults have the matrix among them.
const withoutMatrix = process.argv.includes('--faults');
main([...parts.filter(({ script }) => !withoutMatrix || script !== 'test:matrix'), ...wanted]);
