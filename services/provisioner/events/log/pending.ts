// Events that are not in the log yet, in order. How much they may be is bounded: what is too much is lost, and keeps its
// numbers as a gap.

import type { EventRecord, GapRecord, LogRecord } from './record.js';

/** What an event costs besides its bytes, about. */
const overheadBytes = 200;

export class Pending {
  readonly #limitBytes: number;
  #records: LogRecord[] = [];
  /** So many of the first are being written. */
  #taken = 0;
  #bytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  get size(): number {
    return this.#records.length;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** @returns false where there is no room for it: it is lost */
  add(record: EventRecord): boolean {
    const bytes = costOf(record);
    if (this.#bytes + bytes > this.#limitBytes) return false;
    this.#records.push(record);
    this.#bytes += bytes;
    return true;
  }

  /** An event will never be written. @param at Unix milliseconds */
  lose(sequence: number, at: number): void {
    const newest = this.#records.at(-1);
    const grows = newest?.kind === 'GAP' && this.#records.length > this.#taken;
    const gap: GapRecord = grows
      ? { ...newest, last: sequence }
      : { kind: 'GAP', first: sequence, last: sequence, at };
    if (grows) this.#records[this.#records.length - 1] = gap;
    else this.#records.push(gap);
  }

  /** The first ones, to be written: they stay until {@link written}. */
  take(most: number): readonly LogRecord[] {
    const records = this.#records.slice(0, most);
    this.#taken = records.length;
    return records;
  }

  /** What was taken is in the log. */
  written(): void {
    for (const record of this.#records.splice(0, this.#taken)) this.#bytes -= costOf(record);
    this.#taken = 0;
  }

  /** What was taken is not in the log. */
  giveBack(): void {
    this.#taken = 0;
  }
}

function costOf(record: LogRecord): number {
  return record.kind === 'GAP' ? 0 : record.value.length + overheadBytes;
}
