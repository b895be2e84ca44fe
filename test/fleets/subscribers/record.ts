// What a subscriber has dealt with, as a file to which it only adds: a line for each message. The last whole line is
// its position, so that what it did and how far it came are written in one stroke, and a kill loses or repeats nothing.

import { readFileSync, truncateSync } from 'node:fs';

export interface RecordedEvent {
  readonly sequence: number;
  readonly id: string;
}

export type Line =
  | { readonly kind: 'EVENTS'; readonly logId: string; readonly events: readonly RecordedEvent[] }
  | {
      readonly kind: 'GAP';
      readonly logId: string;
      readonly first: number;
      readonly last: number;
      readonly reason: number;
    };

/** @returns the lines that are whole; nothing where there is no file */
export function readRecord(file: string): Line[] {
  const lines = contents(file).split('\n');
  lines.pop();
  return lines.map((line) => JSON.parse(line) as Line);
}

/** Takes away a line that a kill has cut off. */
export function mend(file: string): void {
  const text = contents(file);
  const whole = text.lastIndexOf('\n') + 1;
  if (whole < text.length) truncateSync(file, whole);
}

/** Where to resume; undefined where nothing was dealt with yet. */
export function positionOf(
  lines: readonly Line[],
): { readonly logId: string; readonly sequence: number } | undefined {
  const line = lines.at(-1);
  if (line === undefined) return undefined;
  const last = line.kind === 'GAP' ? line.last : line.events.at(-1)?.sequence;
  return { logId: line.logId, sequence: last ?? 0 };
}

function contents(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
