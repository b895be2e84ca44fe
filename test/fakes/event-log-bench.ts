// An event log in a folder of its own, under a fake clock, whose disk fails when it is told to.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { EventLog, type EventLogOptions } from '../../services/provisioner/events/log/event-log.js';
import { judge } from '../../services/provisioner/events/log/inspection/judge.js';
import { openStore } from '../../services/provisioner/events/log/open.js';
import { type Change, type LogStore, StoreError } from '../../services/provisioner/events/log/store.js';
import type { LogItem } from '../../services/provisioner/events/watch/log-reader.js';
import { silentLogger } from '../../shared/logger.js';
import { FakeClock } from './fake-clock.js';
import { event } from './provisioning-events.js';

/** A store that can be told to fail, and to take its time. */
class Disk implements LogStore {
  isFull = false;
  /** Records that are written or removed at once, at most. */
  room = Number.POSITIVE_INFINITY;
  /** Whether nothing can be read until something is written, as where the file could not be opened again. */
  isShut = false;
  /** What becomes of the file when memory may be given back. Opening it again takes as long as the disk likes, whatever the clock says. */
  refreshing: 'NOTHING' | 'REOPENED' | 'SHUT' = 'NOTHING';
  /** Told of each write. */
  writing: (change: Change) => void = () => {};
  /** Told each time that memory may be given back. */
  mayRefresh: (touched: number) => void = () => {};
  #held: Promise<void> | undefined;
  readonly #store: LogStore;

  constructor(store: LogStore) {
    this.#store = store;
  }

  get logId() {
    return this.#store.logId;
  }

  get removed() {
    return this.#store.removed;
  }

  get last() {
    return this.#store.last;
  }

  read(from: number, max: number) {
    if (this.isShut) throw new StoreError('not open');
    return this.#store.read(from, max);
  }

  record(first: number) {
    return this.#store.record(first);
  }

  numbers(...given: Parameters<LogStore['numbers']>) {
    return this.#store.numbers(...given);
  }

  /** Has writes wait. @returns has them go on */
  hold(): () => void {
    let release = () => {};
    this.#held = new Promise((resolve) => (release = resolve));
    return () => {
      this.#held = undefined;
      release();
    };
  }

  async write(change: Change) {
    this.writing(change);
    await this.#held;
    if (this.isFull || change.added.length > this.room || change.removed.length > this.room)
      throw new StoreError('no space is left');
    this.isShut = false;
    await this.#store.write(change);
  }

  async refresh(touched: number) {
    this.mayRefresh(touched);
    if (this.refreshing === 'REOPENED') await this.#store.refresh(touched);
    if (this.refreshing !== 'SHUT') return;
    this.isShut = true;
    throw new StoreError('not open');
  }

  close() {
    return this.#store.close();
  }
}

/** @returns the path of a new data_dir, which is removed after the test */
export function dataFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-events-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Opens a log, which is closed after the test. It writes at the end of each turn of the event loop. */
export async function startEventLog(over: Partial<EventLogOptions> = {}, dataDir = dataFolder()) {
  const clock = new FakeClock();
  const log = silentLogger();
  const disk = new Disk(await openStore({ dataDir, site: 'lab', clock, log, inspect: judge }));
  const retention = { maxCount: 1_000_000, maxAgeMs: 7 * 86_400_000 };
  const encode: EventLogOptions['encode'] = (_event, { sequence }) => Buffer.from(`event ${sequence}`);
  const events = new EventLog({ store: disk, clock, log, encode, retention, gatherMs: 0, ...over });
  onTestFinished(() => events.close());
  const publish = (count: number, name = 'a.example.net') => {
    for (let n = 0; n < count; n += 1) {
      events.publish({ ...event('HOST_QUEUED'), identity: name as never });
    }
  };
  const committed = (last: number) => untilCommitted(events, () => events.last >= last);
  return { dataDir, events, clock, disk, publish, committed };
}

/** Resolves when a commit has made something so. */
export function untilCommitted(events: EventLog, is: () => boolean): Promise<void> {
  if (is()) return Promise.resolve();
  return new Promise((resolve) => {
    const off = events.onCommitted(() => {
      if (!is()) return;
      off();
      resolve();
    });
  });
}

/** @returns numbers of events, and reasons and bounds of gaps */
export function numbers(items: readonly LogItem[]): string[] {
  return items.map((item) =>
    item.kind === 'EVENT' ? `${item.sequence}` : `${item.reason} ${item.first}-${item.last}`,
  );
}
