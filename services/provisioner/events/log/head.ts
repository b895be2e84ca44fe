// A note, beside the log's folder, of how far the log has come. A copy of the folder that is put back does not come to
// that: it would give numbers again, to other events, that subscribers count as seen.

import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Clock, Timer } from '../../../../shared/clock.js';
import type { EventLogReader } from '../watch/log-reader.js';

/** Where a log was, at least. */
export interface Head {
  readonly logId: string;
  /** Number of an event that was committed. */
  readonly last: number;
}

const fileName = 'events.head';
/** From a commit until it is noted: so much of the log nobody misses after a crash. */
const delayMs = 2_000;

const shape = z.object({ log_id: z.string(), last: z.int() });

/** @returns undefined where there is no note, or none that makes sense: then nothing is known */
export async function readHead(dataDir: string): Promise<Head | undefined> {
  try {
    const { log_id: logId, last } = shape.parse(JSON.parse(await readFile(join(dataDir, fileName), 'utf8')));
    return { logId, last };
  } catch {
    return undefined;
  }
}

/** Keeps the note of an open log. What goes wrong with it is passed over: it is only of use where a copy is put back. */
export class HeadNote {
  readonly #path: string;
  readonly #log: Pick<EventLogReader, 'logId' | 'last'>;
  readonly #off: () => void;
  #timer: Timer | undefined;
  /** One is written after the other. */
  #writing: Promise<void> = Promise.resolve();

  constructor(dataDir: string, log: Pick<EventLogReader, 'logId' | 'last' | 'onCommitted'>, clock: Clock) {
    this.#path = join(dataDir, fileName);
    this.#log = log;
    this.#off = log.onCommitted(() => {
      this.#timer ??= clock.setTimer(delayMs, () => this.#note());
    });
  }

  /** To be called when the log is closed: notes where it ended. */
  close(): Promise<void> {
    this.#off();
    this.#timer?.cancel();
    this.#note();
    return this.#writing;
  }

  #note(): void {
    this.#timer = undefined;
    this.#writing = this.#writing.then(() => this.#write()).catch(() => {});
  }

  /** As a whole, and only once it is on the disk: a crash leaves the note as it was or as it is. */
  async #write(): Promise<void> {
    const staged = `${this.#path}.new`;
    const { logId, last } = this.#log;
    await writeFile(staged, `${JSON.stringify({ log_id: logId, last })}\n`, { flush: true });
    await rename(staged, this.#path);
  }
}
