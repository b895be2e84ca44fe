// Parts of the sentences that waits are told in.

import { formatDuration } from '../../../../shared/durations.js';
import type { RunRecord } from '../past.js';
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

/** What can be done about a failure; empty where nobody has said. */
export function advice(reason: string): string {
  return Object.hasOwn(adviceOn, reason) ? `What to do: ${adviceOn[reason as Reason]}` : '';
}

/** How a run ended, with what can be done about it: `its last run failed at HELPER: HELPER_EXIT: exit code 3`. */
export function failureOf({ outcome, lastStep, reason, message }: RunRecord): string {
  const how = outcome === 'UPGRADE_FAILED' ? 'did not get the node upgraded' : 'failed';
  const where = lastStep === undefined ? '' : ` at ${lastStep}`;
  return say(`Its last run ${how}${where}: ${reason}${colon(message)}`, advice(reason));
}

/** A text behind a colon; nothing where there is none. */
export function colon(text: string): string {
  return text === '' ? '' : `: ${text}`;
}

export function count(number: number, one: string, many: string): string {
  return number === 1 ? `1 ${one}` : `${number} ${many}`;
}
