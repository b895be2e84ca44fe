// Parts of the sentences that waits are told in.

import { formatDuration } from '../../../../shared/durations.js';
import { adviceOn, type Reason } from './advice.js';

/** Joins sentences; those that are empty are left out. */
export function say(...sentences: readonly (string | undefined)[]): string {
  return sentences
    .filter((sentence) => sentence !== undefined && sentence !== '')
    .map((sentence) => sentence?.replace(/\.$/, ''))
    .join('. ');
}

/** A moment, to the second: `2030-01-01T00:00:00Z`. */
export function at(moment: number): string {
  return new Date(moment).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** A span as people say it: whole seconds, and beyond an hour whole minutes. */
export function span(ms: number): string {
  if (ms < 1_000) return 'less than 1s';
  const unit = ms < 3_600_000 ? 1_000 : 60_000;
  return formatDuration(Math.round(ms / unit) * unit);
}

/** What can be done, as the end of what is told; nothing where there is nothing to do. */
export function todo(help: string | undefined): string {
  return help === undefined || help === '' ? '' : `What to do: ${help}`;
}

/** What can be done about a failure; undefined where nobody has said. */
export function helpOn(reason: string): string | undefined {
  return Object.hasOwn(adviceOn, reason) ? adviceOn[reason as Reason] : undefined;
}

/** A text behind a colon; nothing where there is none. */
export function colon(text: string): string {
  return text === '' ? '' : `: ${text}`;
}

/** `1 run`, `2 runs`. */
export function count(number: number, one: string, many: string): string {
  return number === 1 ? `1 ${one}` : `${number} ${many}`;
}
