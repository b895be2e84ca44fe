// The events of this process, newest last, as many as the ring holds.

import { MemoryLog } from '../../../shared/replay-log/memory-log.js';
import type { Cursor } from '../../../shared/replay-log/replay-log.js';
import type { NodeEvent } from '../nodes/node-event.js';

/** A place in the events of one discovery process. */
export interface Position {
  readonly epoch: string;
  readonly revision: number;
}

export class EventLog {
  /** Names this process's events: revisions mean nothing without it. */
  readonly epoch: string;
  readonly #log: MemoryLog<NodeEvent>;

  /** @param capacity events that are kept */
  constructor(epoch: string, capacity: number) {
    this.epoch = epoch;
    this.#log = new MemoryLog(capacity);
  }

  append(event: NodeEvent): void {
    this.#log.append(event);
  }

  /** Revision of the newest event; 0 where there is none yet. */
  get last(): number {
    return this.#log.last;
  }

  /** Whether everything that followed a position is still there. */
  holds(position: Position): boolean {
    const { epoch, revision } = position;
    return epoch === this.epoch && revision >= this.#log.first - 1 && revision <= this.#log.last;
  }

  /** @throws OutOfRangeError where what follows is not kept any more */
  cursor(after: number): Cursor<NodeEvent> {
    return this.#log.cursor(after);
  }
}
