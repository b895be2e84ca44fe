// Events that are not in the log yet, in order. How much they may be is bounded, and so is how long they wait for a log
// that cannot be written. The oldest are lost first: they keep their numbers, as a gap before what still waits.

import { type EventRecord, firstOf, type GapRecord, type LogRecord, lastOf } from './record.js';

interface Waiting {
  readonly record: LogRecord;
  /** When it began to wait, by a clock that never goes back: milliseconds. */
  readonly since: number;
}

/** When something is: Unix milliseconds, and by a clock that never goes back. */
export interface Moment {
  readonly at: number;
  readonly monotonic: number;
}

/** What an event costs besides its bytes, about. */
const overheadBytes = 200;

export class Pending {
  readonly #limitBytes: number;
  #waiting: Waiting[] = [];
  /** So many of the first are being written: nothing happens to them until it is known what became of that. */
  #taken = 0;
  /** What waits behind those that are being written begins with a gap to which they belong, if they are not written. */
  #lostBehindTaken = false;
  #bytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  get size(): number {
    return this.#waiting.length;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Where there is no room for it the oldest make some, and where that will not do it is lost itself.
   *
   * @returns how many events were lost
   */
  add(record: EventRecord, now: Moment): number {
    const bytes = costOf(record);
    const excess = this.#bytes + bytes - this.#limitBytes;
    let index = this.#taken;
    for (let freed = 0; freed < excess; index += 1) {
      const oldest = this.#waiting[index];
      if (oldest === undefined) {
        this.lose(record.sequence, now);
        return 1;
      }
      freed += costOf(oldest.record);
    }
    const lost = index > this.#taken ? this.#loseUntil(index, now.at) : 0;
    if (lost > 0) this.#lostBehindTaken = this.#taken > 0;
    this.#waiting.push({ record, since: now.monotonic });
    this.#bytes += bytes;
    return lost;
  }

  /** An event will never be written, whatever becomes of those before it. */
  lose(sequence: number, { at, monotonic }: Moment): void {
    const newest = this.#waiting.length > this.#taken ? this.#waiting.at(-1) : undefined;
    const first = newest?.record.kind === 'GAP' ? newest.record.first : sequence;
    if (first < sequence) this.#waiting.pop();
    this.#waiting.push({ record: { kind: 'GAP', first, last: sequence, at }, since: monotonic });
  }

  /**
   * Gives up what has waited since some moment or longer.
   *
   * @returns how many events were lost
   */
  loseOlder(since: number, { at }: Moment): number {
    const index = this.#waiting.findIndex((one) => one.since > since);
    return this.#loseUntil(index < 0 ? this.#waiting.length : index, at);
  }

  /** The first ones, to be written: they stay until {@link written}. */
  take(most: number): readonly LogRecord[] {
    const records = this.#waiting.slice(0, most).map(({ record }) => record);
    this.#taken = records.length;
    return records;
  }

  /** What was taken is in the log. */
  written(): void {
    for (const { record } of this.#waiting.splice(0, this.#taken)) this.#bytes -= costOf(record);
    this.#taken = 0;
    this.#lostBehindTaken = false;
  }

  /**
   * What was taken is not in the log.
   *
   * @returns how many events were lost
   */
  giveBack({ at }: Moment): number {
    const end = this.#lostBehindTaken ? this.#taken + 1 : 0;
    this.#taken = 0;
    this.#lostBehindTaken = false;
    return this.#loseUntil(end, at);
  }

  /** Makes one gap of what waits from those that are being written up to an index. @returns how many events that are */
  #loseUntil(end: number, at: number): number {
    const start = this.#taken;
    const lost = this.#waiting.slice(start, end);
    const [oldest, newest] = [lost.at(0), lost.at(-1)];
    if (oldest === undefined || newest === undefined) return 0;
    const events = lost.filter(({ record }) => record.kind === 'EVENT');
    if (events.length === 0 && lost.length === 1) return 0;
    for (const { record } of events) this.#bytes -= costOf(record);
    const gap: GapRecord = { kind: 'GAP', first: firstOf(oldest.record), last: lastOf(newest.record), at };
    this.#waiting.splice(start, lost.length, { record: gap, since: oldest.since });
    return events.length;
  }
}

function costOf(record: LogRecord): number {
  return record.kind === 'GAP' ? 0 : record.value.length + overheadBytes;
}
