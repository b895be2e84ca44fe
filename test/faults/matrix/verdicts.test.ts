import { expect, test } from 'vitest';
import { cellName, faults, steps } from '../table.js';
import { missingCells, printTable, readVerdicts } from '../verdicts.js';

interface Ran {
  readonly title: string;
  readonly status: string;
}

function report(matrix: readonly Ran[], processes: readonly Ran[] = []): string {
  return JSON.stringify({
    testResults: [
      { name: '/project/test/faults/matrix/matrix.test.ts', assertionResults: matrix },
      { name: '/project/test/faults/processes/some.test.ts', assertionResults: processes },
    ],
  });
}

const all = steps.flatMap((step) =>
  faults.map((fault) => ({ title: `${cellName(step, fault)}: PROVISIONED; CONFIRMED`, status: 'passed' })),
);

test('the table says of every cell how it went', () => {
  const [first, , ...others] = all;
  const failed = { title: first?.title ?? '', status: 'failed' };
  const lines = printTable(readVerdicts(report([failed, ...others]))).split('\n');
  expect(lines).toHaveLength(steps.length + 1);
  expect(lines[1]).toMatch(/^IDENTIFY +FAILED +missing( +ok){7}$/);
});

test('cells that were skipped or not run are missing', () => {
  const [first, ...others] = all;
  const skipped = { title: first?.title ?? '', status: 'skipped' };
  expect(missingCells(readVerdicts(report(all)).matrix)).toEqual([]);
  expect(missingCells(readVerdicts(report([skipped, ...others])).matrix)).toEqual([
    'IDENTIFY × crash of the provisioner',
  ]);
});

test('what was shown with real processes, too, stands behind a stroke', () => {
  const real = [{ title: 'CONFIGURE × lost reply: the node is confirmed', status: 'passed' }];
  const text = printTable(readVerdicts(report(all, real)));
  expect(text).toContain('ok / ok');
  expect(text).toContain('real processes');
});

test('other tests are passed over', () => {
  const { matrix } = readVerdicts(report([{ title: 'a node that boots: is confirmed', status: 'failed' }]));
  expect([...matrix]).toEqual([]);
});
