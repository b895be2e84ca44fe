// WatchEvents: any number of consumers of the log, up to a bound, who share what they can.

import { status } from '@grpc/grpc-js';
import { z } from 'zod';
import type { Clock } from '../../../shared/clock.js';
import type { WatchEventsRequest } from '../../../shared/gen/slipway/provisioner/v1/events.js';
import { RpcError } from '../../../shared/grpc/errors.js';
import type { Turns } from '../../../shared/turns.js';
import { Commits } from '../events/watch/commits.js';
import type { EventLogReader } from '../events/watch/log-reader.js';
import type { Batch } from '../events/watch/passage.js';
import { RecentPassages } from '../events/watch/recent-passages.js';
import {
  type Beginning,
  beginningOf,
  NotReachedError,
  type Position,
  type Start,
} from '../events/watch/start.js';
import { type WatchItem, watch } from '../events/watch/watch.js';
import { checked } from './arguments.js';
import { encodeBatch, encodeBookmark, encodeGap } from './encode-events.js';
import { filterSchema, positionSchema } from './event-arguments.js';

/** The most watches at a time. Each costs up to some 100 kB while its consumer does not read. */
export const mostWatches = 1000;

const requestSchema = z.object({ after: positionSchema.optional(), filter: filterSchema });

/** The watches that are open: they take turns at reading, and share what they read and how it is written. */
export class EventWatches {
  readonly #log: EventLogReader;
  readonly #clock: Clock;
  readonly #turns: Turns;
  readonly #passages: RecentPassages;
  readonly #commits: Commits;
  /** Batches as they go over the wire: those that several watches are given are encoded once. */
  readonly #encoded = new WeakMap<Batch, Buffer>();
  #open = 0;

  constructor(options: { readonly log: EventLogReader; readonly clock: Clock; readonly turns: Turns }) {
    this.#log = options.log;
    this.#clock = options.clock;
    this.#turns = options.turns;
    this.#passages = new RecentPassages(options.log);
    this.#commits = new Commits(options.log, options.clock);
  }

  /** How many watches are open. */
  get open(): number {
    return this.#open;
  }

  /**
   * Serves one watch until its signal is aborted.
   *
   * @param write is given serialised messages
   * @throws RpcError INVALID_ARGUMENT, OUT_OF_RANGE, RESOURCE_EXHAUSTED; the signal's reason
   */
  async serve(
    request: WatchEventsRequest,
    signal: AbortSignal,
    write: (message: Buffer) => Promise<void>,
  ): Promise<void> {
    const { start } = request;
    const given = { after: start?.$case === 'after' ? start.value : undefined, filter: request.filter };
    const { after, filter } = checked(requestSchema, given);
    const beginning = this.#beginningOf(startOf(start?.$case, after));
    if (this.#open >= mostWatches) throw tooMany();
    this.#open += 1;
    try {
      await watch({
        log: this.#log,
        passages: this.#passages,
        commits: this.#commits,
        turns: this.#turns,
        clock: this.#clock,
        beginning,
        filter,
        send: (item) => write(this.#encode(item)),
        signal,
      });
    } finally {
      this.#open -= 1;
    }
  }

  /** Hears of no commits any more. */
  close(): void {
    this.#commits.close();
  }

  #beginningOf(start: Start): Beginning {
    try {
      return beginningOf(this.#log, start);
    } catch (error) {
      if (!(error instanceof NotReachedError)) throw error;
      const message = `after.sequence: ${error.message}`;
      throw new RpcError(status.OUT_OF_RANGE, message, { reason: 'SEQUENCE_NOT_REACHED', cause: error });
    }
  }

  #encode(item: WatchItem): Buffer {
    switch (item.kind) {
      case 'EVENTS': {
        const encoded = this.#encoded.get(item) ?? encodeBatch(this.#log.logId, item.events);
        this.#encoded.set(item, encoded);
        return encoded;
      }
      case 'BOOKMARK':
        return encodeBookmark(item.position);
      case 'GAP':
        return encodeGap(this.#log.logId, item);
    }
  }
}

/** Where nothing is said, a watch starts now. */
function startOf(kind: 'earliest' | 'after' | 'now' | undefined, position: Position | undefined): Start {
  if (position !== undefined) return { kind: 'AFTER', position };
  return { kind: kind === 'earliest' ? 'EARLIEST' : 'NOW' };
}

function tooMany(): RpcError {
  const message = `${mostWatches} watches are open, which is as many as are served: end some, or watch later`;
  return new RpcError(status.RESOURCE_EXHAUSTED, message, { reason: 'WATCHES_LIMIT' });
}
