import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { silentLogger } from '../../../../shared/logger.js';
import {
  dataFolder,
  numbers,
  startEventLog,
  untilCommitted,
} from '../../../../test/fakes/event-log-bench.js';
import type { EventLogOptions } from './event-log.js';

describe('an event log that cannot be written', () => {
  it('keeps events through a short failure, says so, and writes them later', async () => {
    const { events, clock, disk, publish, committed } = await startEventLog();
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
    const { events, clock, disk, publish, committed } = await startEventLog();
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
    const { events, clock, disk, publish, committed } = await startEventLog();
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
    const { events, clock, disk, publish, committed } = await startEventLog();
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
    const { events, clock, disk, publish, committed } = await startEventLog({ pendingBytes: 1_000 });
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

  it('writes, and removes, less at a time where there is no room for more', async () => {
    const { events, disk, publish, committed } = await startEventLog({
      retention: { maxCount: 100, maxAgeMs: 86_400_000 },
    });
    publish(1_500);
    await committed(1_500);
    disk.room = 40;
    publish(2_000);
    await committed(3_500);
    await untilCommitted(events, () => events.first === 3_401);
    expect(events.status).toMatchObject({ last: 3_500, failing: false, lost: 0 });
  });

  it('keeps a gap for as long as the last of its events would have been kept', async () => {
    const day = 86_400_000;
    const { events, clock, disk, publish, committed } = await startEventLog({
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
    const { events, disk, publish } = await startEventLog({ log } as Partial<EventLogOptions>);
    publish(2);
    disk.isFull = true;
    await events.close();
    expect(errors).toContainEqual({ unwritten: 2, why: 'no space is left' });
  });
});

describe('an event log', () => {
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
        const dataDir = dataFolder();
        const settings = { pendingBytes: 5_000, retention: { maxCount: 30, maxAgeMs: 3_600_000 } };
        let life = await startEventLog(settings, dataDir);
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
            life = await startEventLog(settings, dataDir);
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
