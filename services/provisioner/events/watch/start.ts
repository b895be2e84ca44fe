// Where a watch begins, and what it is told about that.

import type { EventLogReader } from './log-reader.js';

/** A place in a log: after the event of that number. */
export interface Position {
  readonly logId: string;
  readonly sequence: number;
}

export type Start =
  | { readonly kind: 'EARLIEST' }
  | { readonly kind: 'NOW' }
  | { readonly kind: 'AFTER'; readonly position: Position };

/** The log of a consumer's position is no more: what followed it there cannot be given. */
export interface Replaced {
  readonly kind: 'GAP';
  readonly reason: 'LOG_REPLACED';
  /** The log that is no more. */
  readonly logId: string;
  readonly first: number;
  /** How far that log went is not known. */
  readonly last: 0;
}

export interface Beginning {
  /** From which the watch can be begun again as it is now. */
  readonly place: Position;
  readonly replaced: Replaced | undefined;
  /** Number in this log after which the watch goes on. */
  readonly after: number;
}

/** The log has not come to the event that a consumer says it has seen, or no log ever will. */
export class NotReachedError extends Error {
  override readonly name = 'NotReachedError';

  /** @param last undefined where the log is no more */
  constructor(sequence: number, logId: string, last?: number) {
    const why = last === undefined ? 'no log goes that far' : `its last one is ${last}`;
    super(`the log ${logId} has no event ${sequence}: ${why}`);
  }
}

/** @throws NotReachedError */
export function beginningOf(log: EventLogReader, start: Start): Beginning {
  switch (start.kind) {
    case 'EARLIEST':
      return at(log, Math.max(log.first - 1, 0));
    case 'NOW':
      return at(log, log.last);
    case 'AFTER': {
      const { logId, sequence } = start.position;
      if (logId !== log.logId) {
        if (sequence >= Number.MAX_SAFE_INTEGER) throw new NotReachedError(sequence, logId);
        const replaced = {
          kind: 'GAP',
          reason: 'LOG_REPLACED',
          logId,
          first: sequence + 1,
          last: 0,
        } as const;
        return { place: start.position, replaced, after: 0 };
      }
      if (sequence > log.last) throw new NotReachedError(sequence, logId, log.last);
      return at(log, sequence);
    }
  }
}

function at({ logId }: EventLogReader, sequence: number): Beginning {
  return { place: { logId, sequence }, replaced: undefined, after: sequence };
}
