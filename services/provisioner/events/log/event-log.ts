// The log of events (design, section 10): takes events as they happen and gives them to readers once they are on the
// disk. Nobody who publishes waits for it, whatever becomes of the disk.

import { randomUUID } from 'node:crypto';
import type { Clock, Timer } from '../../../../shared/clock.js';
import type { Logger } from '../../../../shared/logger.js';
import type { EventSink, ProvisioningEvent } from '../event.js';
import type { EventHeader, EventLogReader, LogItem, Stretch } from '../watch/log-reader.js';
import { headerOf } from './header.js';
import { Pace } from './pace.js';
import { type Moment, Pending } from './pending.js';
import { readItems } from './reading.js';
import { type EventRecord, eventRecord, firstOf, lastOf, type StoredRecord } from './record.js';
import { Retention, type RetentionLimits } from './retention.js';
import type { EventLogStatus } from './status.js';
import { type LogStore, StoreError } from './store.js';
import { readTimeline } from './timeline.js';

/** What an event is told with. */
export interface Envelope {
  readonly sequence: number;
  /** UUID. */
  readonly id: string;
  /** Unix milliseconds. */
  readonly at: number;
}

/** Serialises an event for its readers. */
export type EncodeEvent = (event: ProvisioningEvent, envelope: Envelope) => Uint8Array;

export interface EventLogOptions {
  readonly store: LogStore;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'error' | 'warn' | 'info'>;
  readonly encode: EncodeEvent;
  readonly retention: RetentionLimits;
  /** What may wait to be written. */
  readonly pendingBytes?: number;
  /** From one write to the next, at least: what comes meanwhile is written together. The first comes at once. */
  readonly gatherMs?: number;
}

/** Bytes that wait to be written, at most. */
const defaultPendingBytes = 64 * 1024 * 1024;
/** Events that are written at once, and as many may be removed: fewer where there is no room for more. */
const batch = { most: 1_000, least: 16 } as const;
/** Readers are woken less often than that. */
const defaultGatherMs = 20;
const retryMs = 1_000;
/** How long an event waits for a log that cannot be written: a short failure loses nothing. */
const patienceMs = 5_000;
/** How often age is looked at while nothing happens, and memory of the file is given back. */
const restLookMs = 60_000;
/** After how many records memory is given back: some 40 MB, in 2 ms. Not after each few: LMDB leaks some 3 KB each time. */
const records = { muchHappens: 5_000, rest: 500 } as const;

export class EventLog implements EventSink, EventLogReader {
  readonly #options: EventLogOptions;
  readonly #store: LogStore;
  readonly #pending: Pending;
  readonly #retention: Retention;
  readonly #pace: Pace;
  readonly #listeners = new Set<() => void>();
  #given: number;
  #first: number;
  #last: number;
  #lost = 0;
  /** Why the last try failed; undefined where it did not. */
  #error: string | undefined;
  /** Events that are written at once, for the time being. */
  #batchSize: number = batch.most;
  /** When tries began to fail, monotonic milliseconds. */
  #failingSince = 0;
  /** Whether something was lost since the last write. */
  #losing = false;
  #working: Promise<void> | undefined;
  #timer: Timer | undefined;
  #closed = false;

  constructor(options: EventLogOptions) {
    const { store, retention, pendingBytes = defaultPendingBytes, gatherMs = defaultGatherMs } = options;
    this.#options = options;
    this.#store = store;
    this.#pending = new Pending(pendingBytes);
    this.#retention = new Retention(store, retention);
    this.#pace = new Pace(options.clock, gatherMs);
    this.#given = store.last;
    this.#last = store.last;
    this.#first = store.removed + 1;
    this.#lookAgainIn(restLookMs);
    this.#wake();
  }

  get logId(): string {
    return this.#store.logId;
  }

  get first(): number {
    return this.#first;
  }

  get last(): number {
    return this.#last;
  }

  get status(): EventLogStatus {
    return {
      logId: this.logId,
      first: this.#last < this.#first ? 0 : this.#first,
      last: this.#last,
      uncommittedBytes: this.#pending.bytes,
      failing: this.#error !== undefined,
      error: this.#error ?? '',
      lost: this.#lost,
    };
  }

  publish(event: ProvisioningEvent): void {
    if (this.#closed) return;
    const now = this.#now;
    this.#given += 1;
    const record = this.#encoded(event, this.#given, now.at);
    if (record === undefined) {
      this.#pending.lose(this.#given, now);
      this.#lost += 1;
    } else {
      this.#count(this.#pending.add(record, now));
    }
    if (this.#error === undefined) this.#wake();
  }

  read(after: number, max: number): LogItem[] {
    return readItems(this.#store, { after, max, first: this.#first, last: this.#last });
  }

  readOf(identity: string, stretch: Stretch): LogItem[] {
    return readTimeline(this.#store, identity, stretch, { first: this.#oldest, last: this.#last });
  }

  /** What a commit removes is not found any more some time before the log is told of it, and is a gap by then. */
  get #oldest(): number {
    const [oldest] = this.#store.read(this.#first, 1);
    return Math.max(this.#first, oldest === undefined ? 0 : firstOf(oldest.item));
  }

  /** What the newest events of a node are about, newest first. */
  *newest(identity: string, max: number): Iterable<{ readonly at: number; readonly header: EventHeader }> {
    const span = { order: 'NEWEST_FIRST', from: Number.MAX_SAFE_INTEGER, max } as const;
    for (const number of this.#store.numbers(identity, span)) {
      const record = this.#store.record(number);
      if (record?.item.kind === 'EVENT') yield { at: record.at, header: record.item.header };
    }
  }

  onCommitted(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Writes what waits, and ends. What cannot be written now never will be. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#timer?.cancel();
    this.#pace.hurry();
    await this.#working;
    await this.#work();
    this.#timer?.cancel();
    if (this.#pending.size > 0) {
      const unwritten = this.#given - this.#last;
      this.#options.log.error({ unwritten, why: this.#error }, 'the event log ends with events unwritten');
    }
    await this.#store.close();
  }

  get #now(): Moment {
    const { clock } = this.#options;
    return { at: clock.now(), monotonic: clock.monotonic() };
  }

  #encoded(event: ProvisioningEvent, sequence: number, at: number): EventRecord | undefined {
    try {
      const bytes = this.#options.encode(event, { sequence, id: randomUUID(), at });
      return eventRecord(sequence, at, headerOf(event), bytes);
    } catch (err) {
      this.#options.log.error(
        { err, event: event.type },
        'an event could not be put into the form of the log',
      );
      return undefined;
    }
  }

  /** @param refreshAfter records, of which memory is given back first */
  #wake(refreshAfter: number = records.muchHappens): void {
    if (this.#working !== undefined || this.#closed) return;
    this.#working = new Promise((resolve) => {
      this.#pace.next(() => {
        void this.#refresh(refreshAfter)
          .then(() => this.#work())
          .then((hasWritten) => {
            this.#working = undefined;
            resolve();
            // What was published meanwhile, and what is too much since.
            if ((hasWritten || this.#pending.size > 0) && this.#error === undefined) this.#wake();
          });
      });
    });
  }

  async #refresh(touched: number): Promise<void> {
    if (this.#error !== undefined || this.#closed) return;
    try {
      await this.#store.refresh(touched);
    } catch (error) {
      this.#failed(error);
    }
  }

  /** Writes until what waits is less than is written at once, or writing fails. @returns whether it wrote something */
  async #work(): Promise<boolean> {
    let hasWritten = false;
    for (;;) {
      const most = this.#batchSize;
      const added = this.#pending.take(most);
      let removed: readonly StoredRecord[];
      try {
        removed = this.#expired(most);
        // While it fails an empty write is a try as well.
        if (added.length === 0 && removed.length === 0 && this.#error === undefined) return hasWritten;
        await this.#store.write({ added, removed });
      } catch (error) {
        this.#count(this.#pending.giveBack(this.#now));
        const isLeast = this.#batchSize === batch.least;
        this.#batchSize = Math.max(batch.least, Math.floor(this.#batchSize / 4));
        if (!isLeast) continue;
        this.#failed(error);
        return false;
      }
      hasWritten = true;
      this.#batchSize = Math.min(batch.most, this.#batchSize * 2);
      this.#pending.written();
      this.#first = this.#store.removed + 1;
      const newest = added.at(-1);
      if (newest !== undefined) this.#last = lastOf(newest);
      this.#succeeded();
      for (const listener of this.#listeners) listener();
      if (added.length < most && removed.length < most) return true;
    }
  }

  /** What cannot be read is not removed now: a store that is shut is opened by the write that follows. */
  #expired(most: number): readonly StoredRecord[] {
    try {
      return this.#retention.expired(this.#options.clock.now(), most);
    } catch (error) {
      if (error instanceof StoreError) return [];
      throw error;
    }
  }

  #failed(error: unknown): void {
    const now = this.#now;
    const why = error instanceof Error ? error.message : String(error);
    if (this.#error !== why) {
      this.#options.log.error({ why }, 'the event log is not written: provisioning goes on, and events wait');
    }
    if (this.#error === undefined) this.#failingSince = now.monotonic;
    this.#error = why;
    const tooLong = now.monotonic - patienceMs;
    if (this.#failingSince <= tooLong) this.#count(this.#pending.loseOlder(tooLong, now));
    this.#lookAgainIn(retryMs);
  }

  #succeeded(): void {
    this.#losing = false;
    if (this.#error === undefined) return;
    this.#error = undefined;
    this.#options.log.info({ lost: this.#lost }, 'the event log is written again');
    this.#lookAgainIn(restLookMs);
  }

  #count(lost: number): void {
    this.#lost += lost;
    if (lost === 0 || this.#losing) return;
    this.#losing = true;
    const { log } = this.#options;
    const what = { lost: this.#lost };
    log.error(what, 'events are lost that could not be written; subscribers will be told which');
  }

  #lookAgainIn(ms: number): void {
    this.#timer?.cancel();
    this.#timer = this.#options.clock.setTimer(ms, () => {
      this.#lookAgainIn(restLookMs);
      this.#wake(records.rest);
    });
  }
}
