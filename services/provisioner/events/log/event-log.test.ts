import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { numbers, startEventLog, untilCommitted } from '../../../../test/fakes/event-log-bench.js';

describe('the event log', () => {
  it('gives events to readers once they are committed, in order and as they were encoded', async () => {
    const { events, publish, committed } = await startEventLog();
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
    const one = await startEventLog();
    one.publish(5);
    await one.events.close();
    const other = await startEventLog({}, one.dataDir);
    expect(other.events.logId).toBe(one.events.logId);
    other.publish(1);
    await other.committed(6);
    expect(numbers(other.events.read(4, 10))).toEqual(['5', '6']);
  });

  it('writes what waits when it is closed', async () => {
    const one = await startEventLog();
    one.publish(2_500);
    await one.events.close();
    const other = await startEventLog({}, one.dataDir);
    expect(other.events.last).toBe(2_500);
  });

  it('writes once what comes when a write has just ended and it is about to be closed', async () => {
    const { events, disk, publish } = await startEventLog();
    const write = vi.spyOn(disk, 'write');
    const closed = new Promise<void>((resolve) => {
      const off = events.onCommitted(() => {
        off();
        queueMicrotask(() => {
          publish(1);
          resolve(events.close());
        });
      });
    });
    publish(1);
    await closed;
    await new Promise((resolve) => setImmediate(resolve));
    expect(write).toHaveBeenCalledTimes(2);
  });

  it('writes at once after a quiet time, and what comes within 20 ms of that together', async () => {
    const { events, clock, disk, publish, committed } = await startEventLog({ gatherMs: 20 });
    const written: number[] = [];
    disk.writing = ({ added }) => written.push(added.length);
    publish(1);
    await committed(1);
    for (let n = 0; n < 4; n += 1) {
      publish(1);
      await clock.advance(4);
    }
    expect(written).toEqual([1]);
    const done = committed(5);
    await clock.advance(4);
    await done;
    expect(written).toEqual([1, 4]);
    publish(2);
    await events.close();
    expect(written).toEqual([1, 4, 2]);
  });

  it('tells an event that cannot be encoded as a gap', async () => {
    const encode = () => {
      throw new Error('no');
    };
    const { events, publish, committed } = await startEventLog({ encode });
    publish(2);
    await committed(2);
    expect(numbers(events.read(0, 20))).toEqual(['WRITE_FAILED 1-2']);
    expect(events.status.lost).toBe(2);
  });

  it('removes what is more than max_count, oldest first, and tells it as a gap', async () => {
    const { events, publish, committed } = await startEventLog({
      retention: { maxCount: 10, maxAgeMs: 60_000 },
    });
    publish(3_000);
    await committed(3_000);
    await untilCommitted(events, () => events.first === 2_991);
    expect(numbers(events.read(0, 3))).toEqual(['RETENTION 1-2990', '2991', '2992']);
    expect([...events.newest('a.example.net', 100)]).toHaveLength(10);
  });

  it('tells a reader of one node of what is removed as soon as it is not found any more', async () => {
    const retention = { maxCount: 10, maxAgeMs: 60_000 };
    const { events, disk, publish, committed } = await startEventLog({ retention });
    publish(14);
    const write = disk.write.bind(disk);
    let goOn = () => {};
    disk.write = async (change) => {
      await write(change);
      if (change.removed.length > 0) await new Promise<void>((resolve) => (goOn = resolve));
    };
    await committed(14);
    while (disk.record(1) !== undefined) await nextTurn();
    expect(events.first).toBe(1);
    const items = events.readOf('a.example.net', { order: 'OLDEST_FIRST', at: 0, max: 3 });
    expect(numbers(items)).toEqual(['RETENTION 1-4', '5', '6']);
    goOn();
  });

  it('removes what is older than max_age while nothing happens, and remembers its last number', async () => {
    const one = await startEventLog({ retention: { maxCount: 1_000, maxAgeMs: 120_000 } });
    one.publish(3);
    await one.committed(3);
    const removed = untilCommitted(one.events, () => one.events.first === 4);
    await one.clock.advance(240_000);
    await removed;
    expect(one.events.status).toMatchObject({ first: 0, last: 3 });
    expect(numbers(one.events.read(0, 10))).toEqual(['RETENTION 1-3']);
    await one.events.close();
    const other = await startEventLog({}, one.dataDir);
    expect(other.events).toMatchObject({ first: 4, last: 3 });
  });

  it('finds the newest events of one node', async () => {
    const { events, publish, committed } = await startEventLog();
    publish(2, 'web1');
    publish(2, 'web10');
    publish(1, 'web1');
    await committed(5);
    expect([...events.newest('web1', 10)]).toHaveLength(3);
    expect([...events.newest('web', 10)]).toEqual([]);
  });
});
