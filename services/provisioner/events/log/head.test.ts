import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { dataFolder, numbers, untilCommitted } from '../../../../test/fakes/event-log-bench.js';
import { FakeClock } from '../../../../test/fakes/fake-clock.js';
import { event } from '../../../../test/fakes/provisioning-events.js';
import { beginningOf } from '../watch/start.js';
import { EventLog } from './event-log.js';
import { HeadNote } from './head.js';
import { judge } from './inspection/judge.js';
import { openStore } from './open.js';

const retention = { maxCount: 1_000_000, maxAgeMs: 86_400_000 };

/** A log as the provisioner has it, with its note; `crash` ends it without a last note. */
async function start(dataDir: string) {
  const clock = new FakeClock();
  const warnings: object[] = [];
  const log = {
    warn: (fields: object) => void warnings.push(fields),
    info: () => {},
    error: () => {},
  } as never;
  const store = await openStore({ dataDir, site: 'lab', clock, log, inspect: judge });
  const encode = () => Buffer.from('event');
  const events = new EventLog({ store, clock, log, encode, retention });
  const note = new HeadNote(dataDir, events, clock);
  onTestFinished(() => events.close());
  const append = async (count: number) => {
    const last = events.last + count;
    for (let n = 0; n < count; n += 1) events.publish(event('HOST_QUEUED'));
    await untilCommitted(events, () => events.last >= last);
  };
  const stop = async () => {
    await events.close();
    await note.close();
  };
  return { events, clock, warnings, append, stop, crash: () => events.close() };
}

/** Begins a log with 10 events, and copies it while it is stopped. */
async function copied() {
  const dataDir = dataFolder();
  const copy = join(dataFolder(), 'copy');
  const one = await start(dataDir);
  await one.append(10);
  await one.stop();
  cpSync(join(dataDir, 'events'), copy, { recursive: true });
  const putBack = () => {
    rmSync(join(dataDir, 'events'), { recursive: true });
    cpSync(copy, join(dataDir, 'events'), { recursive: true });
  };
  return { dataDir, putBack, logId: one.events.logId };
}

function noted(dataDir: string): { readonly log_id: string; readonly last: number } {
  return JSON.parse(readFileSync(join(dataDir, 'events.head'), 'utf8'));
}

async function untilNoted(dataDir: string, last: number): Promise<void> {
  await vi.waitFor(() => expect(noted(dataDir).last).toBe(last), { timeout: 5_000 });
}

test('a log that is put back from an older copy goes on under a new id: who was further on starts over', async () => {
  const { dataDir, putBack, logId } = await copied();
  const two = await start(dataDir);
  await two.append(5);
  const position = { logId, sequence: two.events.last };
  await two.stop();
  putBack();

  const three = await start(dataDir);
  // The log passes the position before the subscriber comes back.
  await three.append(20);
  expect(three.events.logId).not.toBe(logId);
  expect(three.warnings).toMatchObject([{ last: 10, was_at: 15, log_id: three.events.logId }]);
  expect(beginningOf(three.events, { kind: 'AFTER', position })).toMatchObject({
    replaced: { reason: 'LOG_REPLACED', logId, first: 16 },
    after: 0,
  });
  expect(numbers(three.events.read(0, 100))).toHaveLength(30);
  await three.stop();

  const four = await start(dataDir);
  expect(four.events.logId).toBe(three.events.logId);
  expect(four.warnings).toEqual([]);
});

test('so does one whose provisioner was killed before the copy was put back', async () => {
  const { dataDir, putBack, logId } = await copied();
  const two = await start(dataDir);
  await two.append(5);
  await two.clock.advance(2_000);
  await untilNoted(dataDir, 15);
  await two.crash();
  putBack();
  expect((await start(dataDir)).events.logId).not.toBe(logId);
});

test('a log that is further on than its note is the same', async () => {
  const { dataDir, logId } = await copied();
  const two = await start(dataDir);
  await two.append(5);
  await two.crash();
  expect(noted(dataDir)).toEqual({ log_id: logId, last: 10 });
  const three = await start(dataDir);
  expect(three.events).toMatchObject({ logId, last: 15 });
  expect(three.warnings).toEqual([]);
});

test.each([
  ['none', undefined],
  ['one of another log', '{"log_id":"0b2b8a3e-8f43-4d2c-9a76-5f6f3c1d2e01","last":99}'],
  ['one that is cut off', '{"log_id":"'],
  ['one that says something else', '[1]'],
])('a log is taken as it is where there is no note of it: %s', async (_, text) => {
  const { dataDir, logId } = await copied();
  if (text === undefined) rmSync(join(dataDir, 'events.head'));
  else writeFileSync(join(dataDir, 'events.head'), text);
  expect((await start(dataDir)).events).toMatchObject({ logId, last: 10 });
});

test('a log is noted 2 s after a commit, with all that was committed by then', async () => {
  const dataDir = dataFolder();
  const { events, clock, append } = await start(dataDir);
  await append(1);
  await clock.advance(1_999);
  await append(4);
  expect(readdirSync(dataDir)).toEqual(['events']);
  await clock.advance(1);
  await untilNoted(dataDir, 5);
  expect(noted(dataDir)).toEqual({ log_id: events.logId, last: 5 });
});

test('a note that cannot be written stops nothing', async () => {
  const dataDir = dataFolder();
  mkdirSync(join(dataDir, 'events.head.new'));
  const { events, clock, append, stop } = await start(dataDir);
  await append(3);
  await clock.advance(2_000);
  await append(3);
  await stop();
  expect(events.last).toBe(6);
});
