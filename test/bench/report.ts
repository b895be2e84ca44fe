// The figures as a table for people: a row for each figure, a column for each side of each round, or for each size.

interface Column {
  readonly head: string;
  readonly figures: Readonly<Record<string, string>>;
}

/** Each measure has figures of its own: they are found in its result by their names. */
export function tableOf(result: object): string {
  const columns = columnsOf(result);
  const names = [...new Set(columns.flatMap(({ figures }) => Object.keys(figures)))];
  const rows = [
    ['', ...columns.map(({ head }) => head)],
    ...names.map((name) => [name, ...columns.map(({ figures }) => figures[name] ?? '')]),
  ];
  const widths = rows.reduce<number[]>(
    (widest, row) => row.map((cell, index) => Math.max(cell.length, widest[index] ?? 0)),
    [],
  );
  const line = ([name = '', ...cells]: readonly string[]) =>
    [name.padEnd(widths[0] ?? 0), ...cells.map((cell, index) => cell.padStart(widths[index + 1] ?? 0))].join(
      '  ',
    );
  const totals = Object.entries(result).filter(([, value]) => typeof value === 'number');
  return [...rows.map(line), '', ...totals.map(([name, value]) => `${name}: ${value}`)].join('\n');
}

function columnsOf(result: object): Column[] {
  const rounds: readonly object[] = 'rounds' in result && Array.isArray(result.rounds) ? result.rounds : [];
  const ofRounds = rounds.flatMap((round, index) =>
    Object.entries(round)
      .filter(([, figures]) => typeof figures === 'object')
      .map(([name, figures]) => ({ head: `${name} ${index + 1}`, figures: flat(figures) })),
  );
  const sizes: readonly object[] = 'sizes' in result && Array.isArray(result.sizes) ? result.sizes : [];
  return [...ofRounds, ...sizes.map((figures) => ({ head: '', figures: flat(figures) }))];
}

/** @returns the figures of an object and of those in it, by their paths */
function flat(figures: object, path = ''): Record<string, string> {
  return Object.assign(
    {},
    ...Object.entries(figures).map(([name, value]) => {
      const at = path === '' ? name : `${path}.${name}`;
      return typeof value === 'object' && value !== null ? flat(value, at) : { [at]: String(value) };
    }),
  );
}
