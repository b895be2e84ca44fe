// Tables: aligned columns, as wide as the terminal is; where a program reads along, nothing is cut.

import { cut } from './fold.js';
import { paint, retext, type Toned, textOf } from './paint.js';
import type { View } from './view.js';

export interface Column {
  readonly title: string;
  /** Numbers stand on the right. */
  readonly right?: true;
  /** Stays whole on a narrow terminal. */
  readonly whole?: true;
  /** Is left out on a narrow terminal, where too little of it would be left to tell anything. */
  readonly spare?: true;
}

const gap = 2;

/** A column is not made narrower than that. */
const narrowest = 8;

/** Nor one that can be spared than that. */
const narrowestSpare = 16;

/**
 * @param rows cells in the order of the columns
 * @returns lines, the titles first; a column that is empty throughout is left out
 */
export function table(columns: readonly Column[], rows: readonly (readonly Toned[])[], view: View): string[] {
  const natural = columns.map(({ title }, index) => {
    const cells = rows.map((row) => textOf(row[index] ?? '').length);
    const widest = cells.reduce((most, each) => Math.max(most, each), 0);
    return widest === 0 ? 0 : Math.max(widest, title.length);
  });
  const widths = view.columns === undefined ? natural : fitted(columns, natural, view.columns);
  const titles = columns.map(({ title }): Toned => ({ text: title, tone: 'title' }));
  return [titles, ...rows].map((row) => line(row, columns, widths, view));
}

/** Takes from the last columns first. */
function fitted(columns: readonly Column[], natural: readonly number[], room: number): number[] {
  const widths = [...natural];
  const shown = widths.filter((width) => width > 0);
  let over = shown.reduce((sum, width) => sum + width, 0) + gap * (shown.length - 1) - room;
  for (const [index, { title, whole, spare }] of [...columns.entries()].reverse()) {
    const width = widths[index] ?? 0;
    if (over <= 0 || whole === true || width === 0) continue;
    if (spare === true && width - over < Math.min(width, narrowestSpare)) {
      widths[index] = 0;
      over -= width + gap;
      continue;
    }
    const least = Math.min(width, Math.max(narrowest, title.length));
    widths[index] = Math.max(width - over, least);
    over -= width - widths[index];
  }
  return widths;
}

function line(
  row: readonly Toned[],
  columns: readonly Column[],
  widths: readonly number[],
  view: View,
): string {
  const cells = columns.flatMap(({ right }, index) => {
    const width = widths[index] ?? 0;
    if (width === 0) return [];
    const cell = row[index] ?? '';
    const text = cut(textOf(cell), width);
    const padding = ' '.repeat(width - text.length);
    const painted = paint(retext(cell, text), view);
    return [right === true ? padding + painted : painted + padding];
  });
  return cells.join(' '.repeat(gap)).trimEnd();
}
