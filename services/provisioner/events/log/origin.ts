// What a log says of itself, and whether that is believed.

import { errnoOf } from './errno.js';

/** What of a log's origin it must agree with. */
export interface LogOrigin {
  readonly format: number;
  readonly logId: string;
  readonly site: string;
}

/** Of what is kept, and how. */
export const format = 1;

/** What is there cannot be used. */
export class UnusableError extends Error {
  override readonly name = 'UnusableError';
}

/**
 * @returns the log's id
 * @throws UnusableError
 */
export function believableLogId(origin: LogOrigin | undefined, site: string): string {
  if (typeof origin?.logId !== 'string') throw new UnusableError('it is not an event log');
  if (origin.format !== format) {
    throw new UnusableError(`it is in format ${origin.format}, and this version knows format ${format}`);
  }
  if (origin.site !== site) throw new UnusableError(`it is of the site ${origin.site}, not of ${site}`);
  return origin.logId;
}

/** LMDB's own errors that are no news of the file: its bounds are met with. */
const bounds: readonly unknown[] = [-30792, -30791, -30790, -30789];
/** The system's word, or number, for a folder that is none. */
const notAFolder: readonly unknown[] = ['ENOTDIR', 20];

/** Whether an error says that the file cannot be used, and not only that it could not be looked at. */
export function isDamage(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (notAFolder.includes(code)) return true;
  const isOfSystem = errnoOf(error) !== undefined || /^E[A-Z0-9]+$/.test(String(code));
  return !isOfSystem && !bounds.includes(code);
}
