import { afterEach, describe, expect, it } from 'vitest';
import { EventReader, Watching } from '../../../../test/fakes/event-reader.js';
import { settle } from '../../../../test/fakes/fake-clock.js';
import { FakeEventLog, plain } from '../../../../test/fakes/fake-event-log.js';
import { everyEvent } from './filter.js';
import { mostBytes } from './passage.js';
import { beginningOf, NotReachedError, type Start } from './start.js';

const earliest: Start = { kind: 'EARLIEST' };
const now: Start = { kind: 'NOW' };
const readers: EventReader[] = [];

afterEach(() => {
  for (const reader of readers.splice(0)) reader.stop();
});

/** A log with so many events, and what its watches share. */
function setUp(events = 0) {
  const log = new FakeEventLog();
  log.append(plain(events));
  const watching = new Watching(log);
  const read = (...args: [Start, ConstructorParameters<typeof EventReader>[2]?]) => {
    const reader = new EventReader(watching, ...args);
    readers.push(reader);
    return reader;
  };
  const since = (sequence: number, logId = log.logId): Start => ({
    kind: 'AFTER',
    position: { logId, sequence },
  });
  return { log, watching, read, since, clock: watching.clock };
}

/** Turns and commits each take a turn of the event loop. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await settle();
}

describe('a watch begins', () => {
  it('with the oldest event there is', async () => {
    const { read, log } = setUp(5);
    log.removeUpTo(2);
    const reader = read(earliest);
    await settled();
    expect(reader.heard()).toEqual(['=2', '3 4 5']);
  });

  it('with what happens from now on', async () => {
    const { read, log } = setUp(5);
    const reader = read(now);
    await settled();
    expect(reader.heard()).toEqual(['=5']);
    log.append(plain(2));
    await settled();
    expect(reader.heard()).toEqual(['6 7']);
  });

  it('in a log that has nothing yet', async () => {
    const { read, log } = setUp();
    const [one, other] = [read(earliest), read(now)];
    await settled();
    log.append(plain(1));
    await settled();
    for (const reader of [one, other]) expect(reader.heard()).toEqual(['=0', '1']);
  });

  it('after an event that the consumer has seen', async () => {
    const { read, since } = setUp(5);
    const reader = read(since(3));
    await settled();
    expect(reader.heard()).toEqual(['=3', '4 5']);
  });

  it('with a gap where what followed was removed', async () => {
    const { read, since, log } = setUp(9);
    log.removeUpTo(6);
    const reader = read(since(3));
    await settled();
    expect(reader.heard()).toEqual(['=3', 'RETENTION 4-6', '7 8 9']);
    expect(reader.position).toEqual({ logId: log.logId, sequence: 9 });
  });

  it('with a gap where its log is another one, which is told again until it was read', async () => {
    const { read, since, log } = setUp(9);
    log.removeUpTo(6);
    const reader = read(since(30, 'another'), { stalled: true });
    await settled();
    expect(reader.position).toEqual({ logId: 'another', sequence: 30 });
    reader.goOn();
    await settled();
    expect(reader.heard()).toEqual(['=30', 'LOG_REPLACED 31-0', '=0', 'RETENTION 1-6', '7 8 9']);
  });

  it('nowhere where its log has not come to', () => {
    const { log, since } = setUp(3);
    expect(() => beginningOf(log, since(4))).toThrow(NotReachedError);
    expect(beginningOf(log, since(3)).after).toBe(3);
  });
});

describe('a watch', () => {
  it('is told in its order that events could not be written', async () => {
    const { read, log } = setUp(2);
    log.lose(10);
    log.append(plain(2));
    const reader = read(earliest);
    await settled();
    expect(reader.heard()).toEqual(['=0', '1 2', 'WRITE_FAILED 3-12', '13 14']);
  });

  it('that resumes within a gap is told what of it is left', async () => {
    const { read, log, since } = setUp(2);
    log.lose(10);
    const reader = read(since(7));
    await settled();
    expect(reader.heard()).toEqual(['=7', 'WRITE_FAILED 8-12']);
  });

  it('is given up to 256 events at once, and no more bytes than its consumer takes', async () => {
    const { read, log } = setUp(600);
    log.append(plain(5), mostBytes / 2 - 100);
    log.append(plain(2), 2 * mostBytes);
    const reader = read(earliest);
    await settled();
    const sizes = reader.items.map((item) => (item.kind === 'EVENTS' ? item.events.length : item.kind));
    expect(sizes).toEqual(['BOOKMARK', 256, 256, 89, 2, 2, 1, 1]);
  });

  it('that is behind comes to the same places as others, and shares with them', async () => {
    const { read, log, since } = setUp(1000);
    const group = [read(earliest), read(since(7)), read(since(300))];
    await settled();
    const ends = group.map(({ items }) =>
      items.flatMap((item) => (item.kind === 'EVENTS' ? [item.last] : [])),
    );
    expect(ends).toEqual([
      [256, 512, 768, 1000],
      [256, 512, 768, 1000],
      [512, 768, 1000],
    ]);
    expect(log.reads).toBe(6);
  });

  it('with a filter is given what matches, and every gap', async () => {
    const { read, log } = setUp();
    log.append([{ identity: 'a' }, { identity: 'b' }, { identity: 'a' }]);
    log.lose(1);
    log.append([{ identity: 'b' }, { identity: 'a' }]);
    const reader = read(earliest, { filter: { ...everyEvent, identity: 'a' } });
    await settled();
    expect(reader.heard()).toEqual(['=0', '1 3', 'WRITE_FAILED 4-4', '6']);
  });

  it('that stands still is overtaken by retention, is told so and goes on', async () => {
    const { read, log } = setUp(10);
    const reader = read(earliest, { stalled: true });
    await settled();
    log.append(plain(1000));
    log.removeUpTo(900);
    await settled();
    expect(reader.heard()).toEqual(['=0']);
    reader.goOn();
    await settled();
    expect(reader.heard().slice(0, 2)).toEqual(['RETENTION 1-900', expect.stringMatching(/^901 .* 1010$/)]);
  });

  it('reads nothing while its consumer does not', async () => {
    const { read, log } = setUp(10);
    read(earliest, { stalled: true });
    await settled();
    log.append(plain(1000));
    await settled();
    expect(log.reads).toBe(0);
  });

  it('ends with the reason that it is stopped for, and listens no more', async () => {
    const { read, watching, log } = setUp(1);
    const reader = read(now);
    await settled();
    reader.stop();
    expect(await reader.ended).toMatchObject({ message: 'stopped' });
    expect(watching.clock.pendingTimers).toBe(0);
    watching.commits.close();
    expect(log.listeners).toBe(0);
  });

  it('ends where the log cannot be read', async () => {
    const { read, log } = setUp(1);
    log.read = () => {
      throw new Error('disk');
    };
    const reader = read(earliest);
    expect(await reader.ended).toMatchObject({ message: 'disk' });
  });
});

describe('a bookmark', () => {
  it('comes every 10 s at the latest, with the place that was come to', async () => {
    const { read, log, clock } = setUp(3);
    const reader = read(now);
    await settled();
    reader.heard();
    for (let times = 0; times < 3; times++) {
      await clock.advance(10_000);
      await settled();
      expect(reader.heard()).toEqual(['=3']);
    }
    log.append(plain(2));
    await clock.advance(10_000);
    await settled();
    expect(reader.heard()).toEqual(['4 5', '=5']);
  });

  it('is ahead of the last event where a filter left events out', async () => {
    const { read, log, clock } = setUp();
    const reader = read(now, { filter: { ...everyEvent, identity: 'a' } });
    log.append([{ identity: 'a' }, { identity: 'b' }, { identity: 'b' }]);
    await settled();
    expect(reader.heard()).toEqual(['=0', '1']);
    await clock.advance(10_000);
    await settled();
    expect(reader.heard()).toEqual(['=3']);
  });

  it('comes in time also while nothing of what is read matches', async () => {
    const { read, log, clock } = setUp();
    const reader = read(now, { filter: { ...everyEvent, identity: 'a' } });
    for (let second = 0; second < 20; second++) {
      log.append(plain(10));
      await clock.advance(1000);
    }
    const heard = reader.heard();
    expect(heard.length).toBe(3);
    expect(heard.every((word) => word.startsWith('='))).toBe(true);
  });
});

describe('watches that keep up', () => {
  it('share what is read and how it is written', async () => {
    const { read, log } = setUp(3);
    const group = Array.from({ length: 50 }, () => read(now));
    const picky = read(now, { filter: { ...everyEvent, identity: 'a' } });
    await settled();
    log.append([{ identity: 'a' }, {}]);
    await settled();
    const batches = new Set(group.map(({ items }) => items.at(-1)));
    expect(batches.size).toBe(1);
    expect(picky.heard()).toEqual(['=3', '4']);
    // One read found nothing yet, before the commit.
    expect(log.reads).toBeLessThan(60);
  });
});
