// A log of events in memory, whose commits, retention and failures are the test's.

import type {
  EventHeader,
  EventLogReader,
  GapCause,
  LogItem,
  Stretch,
} from '../../services/provisioner/events/watch/log-reader.js';
import { Event, EventType } from '../../shared/gen/slipway/provisioner/v1/events.js';

export class FakeEventLog implements EventLogReader {
  logId = '0b2b8a3e-8f43-4d2c-9a76-5f6f3c1d2e01';
  #items: LogItem[] = [];
  #last = 0;
  #removed = 0;
  readonly #listeners = new Set<() => void>();
  /** How often it was read. */
  reads = 0;

  get first(): number {
    return this.#removed + 1;
  }

  get last(): number {
    return this.#last;
  }

  /** Commits events. @param size bytes that each has at least */
  append(headers: readonly Partial<EventHeader>[], size = 0): void {
    for (const header of headers) {
      this.#last += 1;
      this.#items.push({
        kind: 'EVENT',
        sequence: this.#last,
        bytes: eventBytes(this.#last, header, size),
        header: { type: 'HOST_QUEUED', identity: '', runId: '', outcome: '', ...header },
      });
    }
    for (const listener of this.#listeners) listener();
  }

  /** Commits that so many events could not be written. */
  lose(count: number): void {
    this.#items.push(gap(this.#last + 1, this.#last + count, 'WRITE_FAILED'));
    this.#last += count;
    for (const listener of this.#listeners) listener();
  }

  /** Removes everything up to a number. */
  removeUpTo(sequence: number): void {
    this.#removed = Math.max(this.#removed, Math.min(sequence, this.#last));
    this.#items = this.#items.filter((item) => endOf(item) > this.#removed);
  }

  read(after: number, max: number): LogItem[] {
    this.reads += 1;
    const items = this.#items.filter((item) => endOf(item) > after).slice(0, max);
    if (after >= this.#removed) return items;
    return [gap(after + 1, this.#removed, 'RETENTION'), ...items].slice(0, max);
  }

  readOf(identity: string, { order, at, max }: Stretch): LogItem[] {
    const items = this.#items.filter((item) => item.kind === 'GAP' || item.header.identity === identity);
    if (order === 'NEWEST_FIRST') {
      return items
        .filter((item) => startOf(item) <= at)
        .reverse()
        .slice(0, max);
    }
    const following = items.filter((item) => endOf(item) > at);
    const removed = at < this.#removed ? [gap(at + 1, this.#removed, 'RETENTION')] : [];
    return [...removed, ...following].slice(0, max);
  }

  onCommitted(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** How many listen. */
  get listeners(): number {
    return this.#listeners.size;
  }
}

/** So many events that differ in nothing but their number. */
export function plain(count: number): Partial<EventHeader>[] {
  return Array.from({ length: count }, () => ({}));
}

function eventBytes(sequence: number, header: Partial<EventHeader>, size: number): Buffer {
  const { type = 'HOST_QUEUED', identity = '', runId = '' } = header;
  return Buffer.from(
    Event.encode(
      Event.fromPartial({
        sequence: BigInt(sequence),
        type: EventType[type],
        identity,
        runId,
        site: 's'.repeat(size),
      }),
    ).finish(),
  );
}

function gap(first: number, last: number, reason: GapCause): LogItem {
  return { kind: 'GAP', first, last, reason };
}

function startOf(item: LogItem): number {
  return item.kind === 'GAP' ? item.first : item.sequence;
}

function endOf(item: LogItem): number {
  return item.kind === 'GAP' ? item.last : item.sequence;
}
