// The page for people who run fleets says what the table says.

import { expect, test } from 'vitest';
import { Page } from '../../integration/manual-support.js';
import { cellText, faults, meanings, otherMeanings, steps, table } from '../table.js';

const page = new Page('docs/faults.md');

test('the page has the table of steps and faults', () => {
  const [head, ...rows] = page.tablesUnder('Steps and faults')[0] ?? [];
  expect(head).toEqual(['step', ...faults]);
  expect(rows).toEqual(steps.map((step) => [step, ...faults.map((fault) => cellText(table[step][fault]))]));
});

test('the page says what each fault is', () => {
  const rows = page.rowsUnder('What each fault is');
  expect(rows.slice(0, faults.length).map(([fault, meaning]) => [fault, meaning])).toEqual(
    faults.map((fault) => [fault, meanings[fault]]),
  );
  const others = (['HELPER', 'CREDENTIALS'] as const).flatMap((step) =>
    faults.flatMap((fault) => {
      const meaning = otherMeanings[step][fault];
      return meaning === undefined ? [] : [[step, fault, meaning]];
    }),
  );
  expect(rows.slice(faults.length)).toEqual(others);
});
