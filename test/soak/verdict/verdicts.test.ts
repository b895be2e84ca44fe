import { expect, test } from 'vitest';
import { rulesOf } from './rules.js';
import { isFlat, tableOf, verdictsOf } from './verdicts.js';

const durationMs = 40_000;
const rules = [
  { figure: 'sockets', worse: 'RISES', share: 0.1, plus: 5 },
  { figure: 'rate', worse: 'FALLS', share: 0.1, plus: 0 },
] as const;

function samples(figures: (atMs: number) => Readonly<Record<string, number>>) {
  return Array.from({ length: 40 }, (_, index) => ({ atMs: index * 1_000, figures: figures(index * 1_000) }));
}

test('each figure has a verdict of its own, and one that is not flat is enough', () => {
  const flat = verdictsOf(
    samples(() => ({ sockets: 20, rate: 5, other: 1 })),
    durationMs,
    rules,
  );
  expect(isFlat(flat)).toBe(true);
  const leaking = verdictsOf(
    samples((atMs) => ({ sockets: atMs / 1_000, rate: 5 })),
    durationMs,
    rules,
  );
  expect(leaking.map(({ verdict }) => verdict)).toEqual(['RISES', 'FLAT']);
  expect(isFlat(leaking)).toBe(false);
});

test('a figure that was never seen, or seen no more, is not flat', () => {
  const unseen = verdictsOf(
    samples((atMs) => (atMs < 30_000 ? { rate: 5, sockets: Number.NaN } : {})),
    durationMs,
    rules,
  );
  expect(unseen.map(({ verdict }) => verdict)).toEqual(['UNKNOWN', 'UNKNOWN']);
  expect(isFlat(unseen)).toBe(false);
});

test('the table says what was compared with what, and what was tolerated', () => {
  const judged = verdictsOf(
    samples(() => ({ sockets: 20 })),
    durationMs,
    rules,
  );
  expect(tableOf(judged)).toBe(
    [
      '         2nd quarter  last quarter  tolerated  verdict',
      'sockets           20            20      <= 27     FLAT',
      'rate               -             -       >= -  UNKNOWN',
      '',
    ].join('\n'),
  );
});

test('the provisioner may grow by what it remembers of nodes, and discovery may not', () => {
  const plus = (figure: string, hours: number) =>
    rulesOf({ durationMs: hours * 3_600_000, rate: 5 }).find((rule) => rule.figure === figure)?.plus ?? 0;
  expect(plus('provisioner.anonMiB', 8)).toBe(16);
  expect(plus('provisioner.anonMiB', 1)).toBeGreaterThan(30);
  expect(plus('discovery.anonMiB', 1)).toBe(16);
});
