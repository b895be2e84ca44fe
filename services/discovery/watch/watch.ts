// What one watcher is told: who is there, that this was all, and from then on what happens. A watcher that was
// away gets only what it missed. One that reads so slowly that the ring overtakes it gets a new snapshot: in the
// same stream before it was in step; after that the stream ends, for in a second snapshot it could not tell
// from which place to resume. Nothing is ever left out silently (design, section 4).

import type { Clock } from '../../../shared/clock.js';
import { pump } from '../../../shared/replay-log/pump.js';
import { OutOfRangeError } from '../../../shared/replay-log/replay-log.js';
import { type Lease, nodeOf } from '../leases/lease.js';
import type { NodeEvent } from '../nodes/node-event.js';
import type { EventLog, Position } from './event-log.js';
import { matches, type NodeFilter } from './filter.js';

/** Where snapshots are taken. What it gives may be walked slowly, while it changes. */
export interface Present {
  live(): Iterable<Lease>;
  arrivals(): Iterable<NodeEvent>;
}

export type WatchItem =
  /** An event of the log. */
  | { readonly kind: 'HAPPENED'; readonly revision: number; readonly event: NodeEvent }
  /** A part of the snapshot that was begun at `revision`. */
  | { readonly kind: 'PRESENT'; readonly revision: number; readonly event: NodeEvent }
  /** The snapshot, or what was missed, is complete; on from `revision` the watcher is told what happens. */
  | { readonly kind: 'SYNCED'; readonly revision: number };

export interface WatchOptions {
  readonly clock: Clock;
  readonly log: EventLog;
  readonly present: Present;
  readonly filter: NodeFilter;
  readonly resume: Position | undefined;
  /** Resolves when the watcher can take more. */
  readonly send: (item: WatchItem) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Nodes that a snapshot looks at before others have their turn. */
const mostAtOnce = 500;

/** The ring went on beyond what a watcher that was in step had read. */
export class OvertakenError extends Error {
  override readonly name = 'OvertakenError';
}

/**
 * Goes on until the signal is aborted.
 *
 * @throws OvertakenError where the watcher reads too slowly; the signal's reason; what `send` throws
 */
export async function watch(options: WatchOptions): Promise<never> {
  const { log, resume } = options;
  let inStep = false;
  const send = async (item: WatchItem) => {
    await options.send(item);
    if (item.kind === 'SYNCED') inStep = true;
  };
  const watcher = { ...options, send };
  let missed = resume !== undefined && log.holds(resume) ? resume.revision : undefined;
  for (;;) {
    try {
      const from = missed ?? (await sendSnapshot(watcher));
      await follow(watcher, from, missed === undefined ? from : log.last);
    } catch (error) {
      if (!(error instanceof OutOfRangeError)) throw error;
      if (inStep) throw new OvertakenError('the watch was overtaken', { cause: error });
      missed = undefined;
    }
  }
}

/**
 * What changes while the snapshot is sent may or may not be in it, and is told after it in any case: hence the
 * revision is taken first.
 *
 * @returns the revision from which to follow
 */
async function sendSnapshot(options: WatchOptions): Promise<number> {
  const { clock, log, present, filter, send, signal } = options;
  const revision = log.last;
  let looked = 0;
  // Where hardly anything matches, there is hardly anything to wait for.
  const look = async () => {
    looked += 1;
    if (looked % mostAtOnce === 0) await othersTurn(signal);
  };
  for (const event of present.arrivals()) {
    await look();
    if (matches(filter, event.node)) await send({ kind: 'PRESENT', revision, event });
  }
  for (const lease of present.live()) {
    await look();
    if (!matches(filter, lease)) continue;
    const event = { type: 'SIGHTED', time: clock.now(), node: nodeOf(lease) } as const;
    await send({ kind: 'PRESENT', revision, event });
  }
  return revision;
}

/** @throws the signal's reason */
async function othersTurn(signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  signal.throwIfAborted();
}

/** @param syncAt when everything up to this revision was sent, the watcher is told so */
async function follow(
  { log, filter, send, signal }: WatchOptions,
  from: number,
  syncAt: number,
): Promise<never> {
  const cursor = log.cursor(from);
  const synced = { kind: 'SYNCED', revision: syncAt } as const;
  if (from === syncAt) await send(synced);
  return pump({
    cursor,
    signal,
    write: send,
    encode: function* ({ first, values }): Generator<WatchItem> {
      for (const [index, event] of values.entries()) {
        const revision = first + index;
        if (matches(filter, event.node)) yield { kind: 'HAPPENED', revision, event };
        if (revision === syncAt) yield synced;
      }
    },
  });
}
