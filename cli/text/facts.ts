// Facts under each other: a name on the left, what is to be said on the right, folded to the terminal.

import { fold } from './fold.js';
import { paint, retext, type Toned, textOf } from './paint.js';
import type { View } from './view.js';

/** A name, and one or more lines; a fact without lines is left out. */
export type Fact = readonly [name: string, lines: Toned | readonly Toned[]];

/** @returns lines; a text that does not fit goes on under its own beginning */
export function facts(all: readonly Fact[], view: View): string[] {
  const shown = all
    .map(([name, lines]) => [name, (isList(lines) ? lines : [lines]).filter(isSaid)] as const)
    .filter(([, lines]) => lines.length > 0);
  const margin = shown.reduce((most, [name]) => Math.max(most, name.length), 0) + 2;
  const width = view.columns === undefined ? undefined : Math.max(view.columns - margin, 20);
  return shown.flatMap(([name, lines]) =>
    lines
      .flatMap((each) => fold(textOf(each), width).map((text) => paint(retext(each, text), view)))
      .map((text, index) => (index === 0 ? name : '').padEnd(margin) + text),
  );
}

function isList(lines: Toned | readonly Toned[]): lines is readonly Toned[] {
  return Array.isArray(lines);
}

function isSaid(line: Toned): boolean {
  return textOf(line) !== '';
}
