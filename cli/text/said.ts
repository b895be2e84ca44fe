// What nodes and helpers say, for one line of a screen: it may have many, as what a program writes when it fails.

import { printable } from '../../shared/printable.js';

/** All of it: between its lines stands ` | `. */
export function inOneLine(text: string): string {
  return linesOf(text).map(printable).join(' | ');
}

/** Its first line, which says what failed, and its last, which mostly says why. */
export function firstAndLast(text: string): string {
  const lines = linesOf(text);
  return [...lines.slice(0, 1), ...lines.slice(1).slice(-1)]
    .map(printable)
    .join(lines.length > 2 ? ' … ' : ' | ');
}

function linesOf(text: string): string[] {
  return text
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
