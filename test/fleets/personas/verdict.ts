// The table of the end: which column a machine is in. Each is in exactly one, that of the first rule that fits it:
//
//   CONFIRMED          its disk says that it is up with the configuration of a run, and the provisioner has said so, too
//   NODE_CONFLICT      a conflict named its address
//   PROVISION_LOOP     the provisioner has said that it keeps coming back
//   a reason           the one that was told most of its runs; CONFIRMATION_MISSED is one; of several the last. That it is
//                      UNREACHABLE everybody is while the swarm is down: it counts where nothing else was told
//   NOTHING            nothing of all that

import { type PersonaName, personaNames } from '../../../services/mock-node/personas/persona.js';
import type { History } from './history.js';
import type { Machine } from './machine.js';

/** @returns the column of a machine */
export function columnOf(machine: Machine, history: History): string {
  const told = history.of(machine.identity);
  const { confirmed, runId } = machine.disk;
  if (confirmed && told.confirmations.has(runId)) return 'CONFIRMED';
  const named = told.conflicts.flatMap(({ address, newcomerAddress }) => [address, newcomerAddress]);
  if (named.includes(machine.address)) return 'NODE_CONFLICT';
  if (told.loops > 0) return 'PROVISION_LOOP';
  const { UNREACHABLE: unreachable, ...others } = Object.fromEntries(told.reasons);
  const [most] = Object.entries(others).reduce<readonly [string, number]>(
    (best, each) => (each[1] >= best[1] ? each : best),
    [unreachable === undefined ? 'NOTHING' : 'UNREACHABLE', 0],
  );
  return most;
}

/** How many machines of each persona are in each column. */
export type Table = ReadonlyMap<PersonaName, ReadonlyMap<string, number>>;

export function tableOf(machines: readonly Machine[], history: History): Table {
  const table = new Map<PersonaName, Map<string, number>>();
  for (const machine of machines) {
    const row = table.get(machine.persona.name) ?? new Map<string, number>();
    table.set(machine.persona.name, row);
    const column = columnOf(machine, history);
    row.set(column, (row.get(column) ?? 0) + 1);
  }
  return table;
}

/** @returns all of its machines together */
export function sumOf(table: Table): number {
  return [...table.values()].flatMap((row) => [...row.values()]).reduce((sum, count) => sum + count, 0);
}

/** @returns the table as text, with sums */
export function format(table: Table): string {
  const named = ['CONFIRMED', 'PROVISION_LOOP', 'NODE_CONFLICT', 'UNREACHABLE', 'CONFIRMATION_MISSED'];
  const found = new Set([...table.values()].flatMap((row) => [...row.keys()]));
  const columns = [...named, ...[...found].filter((column) => !named.includes(column)).sort()];
  const rows = personaNames.flatMap((name) => {
    const row = table.get(name);
    return row === undefined ? [] : [{ name: name as string, row }];
  });
  const total = new Map(columns.map((column) => [column, totalOf(rows, column)]));
  const lines = [
    ['persona', ...columns, 'all'],
    ...[...rows, { name: 'all', row: total }].map(({ name, row }) => [
      name,
      ...columns.map((column) => String(row.get(column) ?? 0)),
      String([...row.values()].reduce((sum, count) => sum + count, 0)),
    ]),
  ];
  const width = (at: number) => Math.max(...lines.map((line) => line[at]?.length ?? 0));
  return lines
    .map((line) => line.map((cell, at) => (at === 0 ? cell.padEnd(width(0)) : cell.padStart(width(at)))))
    .map((cells) => `${cells.join('  ')}\n`)
    .join('');
}

function totalOf(rows: readonly { readonly row: ReadonlyMap<string, number> }[], column: string): number {
  return rows.reduce((sum, { row }) => sum + (row.get(column) ?? 0), 0);
}
