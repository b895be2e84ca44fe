// Reads from vitest's JSON report how the cells of the fault matrix went, and prints them as a table.

import { z } from 'zod';
import { cellName, type FaultName, type FaultStep, faults, steps } from './table.js';

/** `skipped` is no better than `missing`: no test was run. */
type Verdict = 'ok' | 'FAILED' | 'missing';

/** By the name of the cell. */
type Cells = ReadonlyMap<string, Verdict>;

/** How the cells went: all of them under the fake clock, some of them with real processes. */
export interface Verdicts {
  readonly matrix: Cells;
  readonly processes: Cells;
}

const reportSchema = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      assertionResults: z.array(z.object({ title: z.string(), status: z.string() })),
    }),
  ),
});

/** @param report what vitest's reporter "json" wrote */
export function readVerdicts(report: string): Verdicts {
  const { testResults } = reportSchema.parse(JSON.parse(report));
  const under = (folder: string) => {
    const files = testResults.filter(({ name }) => name.includes(`/test/faults/${folder}/`));
    const cells = new Map<string, Verdict>();
    for (const { title, status } of files.flatMap(({ assertionResults }) => assertionResults)) {
      const cell = cellOf(title);
      if (cell === undefined || (status !== 'passed' && status !== 'failed')) continue;
      if (status === 'failed' || !cells.has(cell)) cells.set(cell, status === 'passed' ? 'ok' : 'FAILED');
    }
    return cells;
  };
  return { matrix: under('matrix'), processes: under('processes') };
}

/** @returns the name of the cell that a test is of: it begins with it; undefined for other tests */
function cellOf(title: string): string | undefined {
  const [name = ''] = title.split(':');
  return allCells.find((cell) => cell === name);
}

const allCells = steps.flatMap((step) => faults.map((fault) => cellName(step, fault)));

/** @returns the names of those that were not run */
export function missingCells(cells: Cells): string[] {
  return allCells.filter((cell) => !cells.has(cell));
}

/** @returns steps by faults, and behind a stroke what was shown with real processes, too */
export function printTable({ matrix, processes }: Verdicts): string {
  const shown = (step: FaultStep, fault: FaultName) => {
    const name = cellName(step, fault);
    const real = processes.get(name);
    return [matrix.get(name) ?? 'missing', ...(real === undefined ? [] : [real])].join(' / ');
  };
  const rows = [
    ['', ...faults],
    ...steps.map((step) => [step, ...faults.map((fault) => shown(step, fault))]),
  ];
  const widths = ['', ...faults].map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  const note = processes.size === 0 ? [] : ['', 'behind the stroke: the same with real processes'];
  return [...lines.map((line) => line.trimEnd()), ...note].join('\n');
}
