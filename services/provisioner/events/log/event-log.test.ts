import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../../../shared/logger.js';
import { FakeClock } from '../../../../test/fakes/fake-clock.js';
import { event } from '../../../../test/fakes/provisioning-events.js';
import type { LogItem } from '../watch/log-reader.js';
import { EventLog, type EventLogOptions } from './event-log.js';
import { judge } from './inspection/judge.js';
import { openStore } from './open.js';
import { type Change, type LogStore, StoreError } from './store.js';

let folder: string;
const open: EventLog[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-events-'));
});

afterEach(async () => {
  await Promise.all(open.splice(0).map((log) => log.close()));
  rmSync(folder, { recursive: true });
});

/** A store that can be told to fail. */
class Disk implements LogStore {
  isFull = false;
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
    await this.#held;
    if (this.isFull) throw new StoreError('no space is left');
    await this.#store.write(change);
  }

  close() {
    return this.#store.close();
  }
}

async function start(over: Partial<EventLogOptions> = {}, dataDir = folder) {
  const clock = new FakeClock();
  const log = silentLogger();
  const disk = new Disk(await openStore({ dataDir, site: 'lab', clock, log, inspect: judge }));
  const retention = { maxCount: 1_000_000, maxAgeMs: 7 * 86_400_000 };
  const encode: EventLogOptions['encode'] = (_event, { sequence }) => Buffer.from(`event ${sequence}`);
  const events = new EventLog({ store: disk, clock, log, encode, retention, ...over });
  open.push(events);
  const publish = (count: number, name = 'a.example.net') => {
    for (let n = 0; n < count; n += 1) {
      events.publish({ ...event('HOST_QUEUED'), identity: name as never });
    }
  };
  const committed = (last: number) => waitFor(events, () => events.last >= last);
  return { events, clock, disk, publish, committed };
}

function waitFor(events: EventLog, is: () => boolean): Promise<void> {
  if (is()) return Promise.resolve();
  return new Promise((resolve) => {
    const off = events.onCommitted(() => {
      if (!is()) return;
      off();
      resolve();
    });
  });
}

function numbers(items: readonly LogItem[]): string[] {
  return items.map((item) =>
    item.kind === 'EVENT' ? `${item.sequence}` : `${item.reason} ${item.first}-${item.last}`,
  );
}

describe('the event log', () => {
  it('gives events to readers once they are committed, in order and as they were encoded', async () => {
    const { events, publish, committed } = await start();
    publish(3);
    expect(events.last).toBe(0);
    expect(events.read(0, 10)).toEqual([]);
    await committed(3);
    expect(numbers(events.read(0, 10))).toEqual(['1', '2', '3']);
    expect(numbers(events.read(1, 1))).toEqual(['2']);
    expect(events.read(3, 10)).toEqual([]);
    const [first] = events.read(0, 1);
    expect(first).toMatchObject({
      bytes: Buffer.from('event 1'),
      header: { type: 'HOST_QUEUED', identity: 'a.example.net', runId: '', outcome: '' },
    });
    expect(events.status).toMatchObject({ first: 1, last: 3, failing: false, lost: 0, uncommittedBytes: 0 });
  });

  it('goes on with its numbers and its id after a restart', async () => {
    const one = await start();
    one.publish(5);
    await one.events.close();
    const other = await start();
    expect(other.events.logId).toBe(one.events.logId);
    other.publish(1);
    await other.committed(6);
    expect(numbers(other.events.read(4, 10))).toEqual(['5', '6']);
  });

  it('writes what waits when it is closed', async () => {
    const one = await start();
    one.publish(2_500);
    await one.events.close();
    const other = await start();
    expect(other.events.last).toBe(2_500);
  });

  it('keeps events through a short failure, says so, and writes them later', async () => {
    const { events, clock, disk, publish, committed } = await start();
    disk.isFull = true;
    publish(4);
    await clock.advance(4_000);
    expect(events.status).toMatchObject({ last: 0, failing: true, error: 'no space is left', lost: 0 });
    expect(events.status.uncommittedBytes).toBeGreaterThan(0);
    disk.isFull = false;
    const done = committed(4);
    await clock.advance(1_000);
    await done;
    expect(numbers(events.read(0, 10))).toEqual(['1', '2', '3', '4']);
    expect(events.status).toMatchObject({ failing: false, error: '', lost: 0, uncommittedBytes: 0 });
  });

  it('loses what has waited for 5 s, and begins with one gap when it is written again', async () => {
    const { events, clock, disk, publish, committed } = await start();
    publish(2);
    await committed(2);
    disk.isFull = true;
    for (let second = 0; second < 20; second += 1) {
      publish(3);
      await clock.advance(1_000);
    }
    const { lost } = events.status;
    expect(events.status).toMatchObject({ last: 2, failing: true });
    expect(events.read(2, 10)).toEqual([]);
    // Of 20 seconds, those of less than 5 seconds ago wait.
    expect(lost).toBe(3 * 16);
    disk.isFull = false;
    const done = committed(62);
    await clock.advance(1_000);
    await done;
    const waited = Array.from({ length: 60 - lost }, (_, n) => `${lost + 3 + n}`);
    expect(numbers(events.read(0, 100))).toEqual(['1', '2', `WRITE_FAILED 3-${lost + 2}`, ...waited]);
    expect(events.status).toMatchObject({ failing: false, lost, uncommittedBytes: 0 });
  });

  it('loses nothing that was written after all, however long that took', async () => {
    const { events, clock, disk, publish, committed } = await start();
    const write = disk.hold();
    publish(3);
    await clock.advance(0);
    publish(3);
    await clock.advance(60_000);
    write();
    await committed(6);
    expect(numbers(events.read(0, 10))).toEqual(['1', '2', '3', '4', '5', '6']);
    expect(events.status.lost).toBe(0);
  });

  it('counts its patience from the first failure, and not from a try that took long', async () => {
    const { events, clock, disk, publish, committed } = await start();
    const write = disk.hold();
    publish(3);
    await clock.advance(60_000);
    disk.isFull = true;
    write();
    await clock.advance(3_000);
    expect(events.status).toMatchObject({ failing: true, lost: 0 });
    disk.isFull = false;
    await clock.advance(1_000);
    await committed(3);
    expect(events.status.lost).toBe(0);
  });

  it('loses the oldest where there are too many to keep, at once', async () => {
    const { events, clock, disk, publish, committed } = await start({ pendingBytes: 1_000 });
    disk.isFull = true;
    publish(10);
    await clock.advance(1_000);
    const { lost } = events.status;
    expect(lost).toBeGreaterThan(0);
    disk.isFull = false;
    const done = committed(10);
    await clock.advance(1_000);
    await done;
    publish(1);
    await committed(11);
    const kept = Array.from({ length: 11 - lost }, (_, n) => `${lost + 1 + n}`);
    expect(numbers(events.read(0, 20))).toEqual([`WRITE_FAILED 1-${lost}`, ...kept]);
    expect(numbers(events.read(1, 1))).toEqual([`WRITE_FAILED 1-${lost}`]);
  });

  it('keeps a gap for as long as the last of its events would have been kept', async () => {
    const day = 86_400_000;
    const { events, clock, disk, publish, committed } = await start({
      retention: { maxCount: 1_000, maxAgeMs: day },
    });
    disk.isFull = true;
    publish(1);
    await clock.advance(60_000);
    clock.jumpWall(2 * day);
    publish(1);
    await clock.advance(10_000);
    disk.isFull = false;
    const done = committed(2);
    await clock.advance(1_000);
    await done;
    expect(numbers(events.read(0, 10))).toEqual(['WRITE_FAILED 1-2']);
  });

  it('ends although it cannot be written, and says how many events are not', async () => {
    const errors: object[] = [];
    const log = { ...silentLogger(), error: (fields: object) => void errors.push(fields) };
    const { events, disk, publish } = await start({ log } as Partial<EventLogOptions>);
    publish(2);
    disk.isFull = true;
    await events.close();
    expect(errors).toContainEqual({ unwritten: 2, why: 'no space is left' });
  });

  it('tells an event that cannot be encoded as a gap', async () => {
    const encode = () => {
      throw new Error('no');
    };
    const { events, publish, committed } = await start({ encode });
    publish(2);
    await committed(2);
    expect(numbers(events.read(0, 20))).toEqual(['WRITE_FAILED 1-2']);
    expect(events.status.lost).toBe(2);
  });

  it('removes what is more than max_count, oldest first, and tells it as a gap', async () => {
    const { events, publish, committed } = await start({ retention: { maxCount: 10, maxAgeMs: 60_000 } });
    publish(3_000);
    await committed(3_000);
    await waitFor(events, () => events.first === 2_991);
    expect(numbers(events.read(0, 3))).toEqual(['RETENTION 1-2990', '2991', '2992']);
    expect([...events.newest('a.example.net', 100)]).toHaveLength(10);
  });

  it('removes what is older than max_age while nothing happens, and remembers its last number', async () => {
    const one = await start({ retention: { maxCount: 1_000, maxAgeMs: 120_000 } });
    one.publish(3);
    await one.committed(3);
    const removed = waitFor(one.events, () => one.events.first === 4);
    await one.clock.advance(240_000);
    await removed;
    expect(one.events.status).toMatchObject({ first: 0, last: 3 });
    expect(numbers(one.events.read(0, 10))).toEqual(['RETENTION 1-3']);
    await one.events.close();
    const other = await start();
    expect(other.events).toMatchObject({ first: 4, last: 3 });
  });

  it('finds the newest events of one node', async () => {
    const { events, publish, committed } = await start();
    publish(2, 'web1');
    publish(2, 'web10');
    publish(1, 'web1');
    await committed(5);
    expect([...events.newest('web1', 10)]).toHaveLength(3);
    expect([...events.newest('web', 10)]).toEqual([]);
  });

  it('has every number once, as an event or in a gap, whatever fails and ends', async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('publish' as const), count: fc.integer({ min: 1, max: 40 }) }),
      fc.constantFrom(
        { kind: 'full' as const },
        { kind: 'room' as const },
        { kind: 'wait' as const, ms: 1_000 },
        { kind: 'wait' as const, ms: 7_000 },
        { kind: 'hold' as const },
        { kind: 'restart' as const },
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const dataDir = mkdtempSync(join(folder, 'run-'));
        const settings = { pendingBytes: 5_000, retention: { maxCount: 30, maxAgeMs: 3_600_000 } };
        let life = await start(settings, dataDir);
        let told = 0;
        let release = () => {};
        const look = () => {
          const { events } = life;
          expect(events.last).toBeGreaterThanOrEqual(told);
          told = events.last;
          let at = 0;
          for (const item of events.read(0, 10_000)) {
            expect(item.kind === 'GAP' ? item.first : item.sequence).toBe(at + 1);
            at = item.kind === 'GAP' ? item.last : item.sequence;
          }
          expect(at).toBe(events.last);
        };
        for (const one of steps) {
          if (one.kind === 'publish') life.publish(one.count);
          else if (one.kind === 'full') life.disk.isFull = true;
          else if (one.kind === 'room') life.disk.isFull = false;
          else if (one.kind === 'wait') await life.clock.advance(one.ms);
          else if (one.kind === 'hold') release = life.disk.hold();
          else {
            release();
            await life.events.close();
            life = await start(settings, dataDir);
          }
          look();
          if (one.kind === 'wait') release();
        }
        release();
        await life.events.close();
      }),
      { numRuns: 30 },
    );
  });
});
