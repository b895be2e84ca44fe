// What one consumer of events is told: where it stands, what happened since, what is missing, and on from there what
// happens. It is a place in the log and what follows it at once: one that reads slowly costs no more memory than one
// message and delays nobody (design, section 10).

import type { Clock } from '../../../../shared/clock.js';
import type { Turns } from '../../../../shared/turns.js';
import type { Commits } from './commits.js';
import type { EventFilter } from './filter.js';
import type { EventLogReader } from './log-reader.js';
import { type Batch, type Missing, selected } from './passage.js';
import type { RecentPassages } from './recent-passages.js';
import type { Beginning, Position, Replaced } from './start.js';

export type WatchItem =
  | Batch
  | Missing
  | Replaced
  /** A place to resume from, at which everything before it was told. */
  | { readonly kind: 'BOOKMARK'; readonly position: Position };

export interface WatchOptions {
  readonly log: EventLogReader;
  readonly passages: RecentPassages;
  readonly commits: Commits;
  readonly turns: Turns;
  readonly clock: Clock;
  readonly beginning: Beginning;
  readonly filter: EventFilter;
  /** Resolves when the consumer can take more. */
  readonly send: (item: WatchItem) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Bookmarks are at most so far apart, where the consumer reads: milliseconds. 10 s are promised. */
const bookmarkMs = 9_000;

/**
 * Goes on until the signal is aborted.
 *
 * @throws the signal's reason; what `send` throws, and what reading the log does
 */
export async function watch(options: WatchOptions): Promise<never> {
  const { log, passages, commits, turns, clock, beginning, filter, send, signal } = options;
  let { after } = beginning;
  let due = 0;
  const bookmark = async (position: Position) => {
    due = clock.monotonic() + bookmarkMs;
    await send({ kind: 'BOOKMARK', position });
  };
  await bookmark(beginning.place);
  if (beginning.replaced !== undefined) {
    await send(beginning.replaced);
    await bookmark({ logId: log.logId, sequence: after });
  }
  for (;;) {
    const passage = await turns.take(() => {
      signal.throwIfAborted();
      return passages.after(after);
    });
    if (passage !== undefined) {
      for (const part of selected(passage, filter)) await send(part);
      after = passage.last;
    }
    if (clock.monotonic() >= due) await bookmark({ logId: log.logId, sequence: after });
    if (passage === undefined || after >= log.last)
      await commits.next(Math.max(due - clock.monotonic(), 0), signal);
  }
}
