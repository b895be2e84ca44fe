// How events and gaps lie in the log: one record each, under the number of its first event. What an event says is bytes
// here; what filters look at stands before them, so that reading decodes nothing.

import type { ProvisioningEvent } from '../event.js';
import type { EventHeader, LogItem } from '../watch/log-reader.js';

/** An event as it is written. */
export interface EventRecord {
  readonly kind: 'EVENT';
  readonly sequence: number;
  readonly identity: string;
  readonly value: Buffer;
}

/** Events that could not be written. */
export interface GapRecord {
  readonly kind: 'GAP';
  readonly first: number;
  readonly last: number;
  /** When the last of them was lost, Unix milliseconds: it is kept for as long as an event of that time. */
  readonly at: number;
}

export type LogRecord = EventRecord | GapRecord;

/** A record as it is read. */
export interface StoredRecord {
  /** When it happened, Unix milliseconds. */
  readonly at: number;
  readonly item: LogItem;
}

/** A record that is none of this log's. */
export class RecordError extends Error {
  override readonly name = 'RecordError';
  readonly reason = 'RECORD_INVALID';
}

const kinds = { event: 1, gap: 2 } as const;
const places = { at: 1, gapLast: 9, headerLength: 9, header: 11 } as const;
const gapLength = 17;
const separator = '\0';

/**
 * Puts an event into the form in which it is kept.
 *
 * @param at Unix milliseconds
 * @param bytes the event for its readers
 */
export function eventRecord(
  sequence: number,
  at: number,
  header: EventHeader,
  bytes: Uint8Array,
): EventRecord {
  const { type, identity, runId, outcome, configurationDigest = '' } = header;
  const text = [type, identity, runId, outcome, configurationDigest].join(separator);
  const length = Buffer.byteLength(text);
  const value = Buffer.allocUnsafe(places.header + length + bytes.length);
  value.writeUInt8(kinds.event, 0);
  value.writeDoubleBE(at, places.at);
  value.writeUInt16BE(length, places.headerLength);
  value.write(text, places.header);
  value.set(bytes, places.header + length);
  return { kind: 'EVENT', sequence, identity, value };
}

/** What is kept of a gap. */
export function gapValue({ at, last }: GapRecord): Buffer {
  const value = Buffer.alloc(gapLength);
  value.writeUInt8(kinds.gap, 0);
  value.writeDoubleBE(at, places.at);
  value.writeDoubleBE(last, places.gapLast);
  return value;
}

/** Bytes that are kept of a record. */
export function valueLength(record: LogRecord): number {
  return record.kind === 'GAP' ? gapLength : record.value.length;
}

/**
 * Reads what is kept. The item is a copy.
 *
 * @throws RecordError
 */
export function readRecord(first: number, value: Uint8Array): StoredRecord {
  const bytes = Buffer.from(value);
  switch (bytes[0]) {
    case kinds.event:
      return readEvent(first, bytes);
    case kinds.gap:
      if (bytes.length === gapLength) return readGap(first, bytes);
  }
  throw new RecordError(`record ${first} is neither an event nor a gap`);
}

function readEvent(sequence: number, record: Buffer): StoredRecord {
  const end = record.length < places.header ? 0 : places.header + record.readUInt16BE(places.headerLength);
  const parts = record.toString('utf8', places.header, end).split(separator);
  const [type, identity, runId, outcome, configurationDigest] = parts;
  if (parts.length !== 5 || end > record.length) throw new RecordError(`event ${sequence} is cut off`);
  const header = {
    type: type as ProvisioningEvent['type'],
    identity,
    runId,
    outcome,
    ...(configurationDigest && { configurationDigest }),
  } as EventHeader;
  const bytes = record.subarray(end);
  return { at: record.readDoubleBE(places.at), item: { kind: 'EVENT', sequence, bytes, header } };
}

function readGap(first: number, record: Buffer): StoredRecord {
  const last = record.readDoubleBE(places.gapLast);
  if (!Number.isSafeInteger(last) || last < first)
    throw new RecordError(`gap ${first} ends before it begins`);
  return { at: record.readDoubleBE(places.at), item: { kind: 'GAP', first, last, reason: 'WRITE_FAILED' } };
}

/** Number of the first event of a record. */
export function firstOf(record: LogRecord | LogItem): number {
  return record.kind === 'GAP' ? record.first : record.sequence;
}

/** Number of the last event of a record. */
export function lastOf(record: LogRecord | LogItem): number {
  return record.kind === 'GAP' ? record.last : record.sequence;
}
