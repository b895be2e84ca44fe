// ProvisioningEventService, spoken to by clients that were made from the .proto files at run time.

import { status } from '@grpc/grpc-js';
import { describe, expect, it } from 'vitest';
import { mostWatches } from '../../services/provisioner/api/watch-events.js';
import { StoreError } from '../../services/provisioner/events/log/store.js';
import { newRunId } from '../../shared/identity.js';
import { plain } from '../fakes/fake-event-log.js';
import { FaultProxy } from '../fakes/fault-proxy.js';
import { eventsClient, type Message, serveEvents } from './events-support.js';

const runId = newRunId();

describe('WatchEvents', () => {
  it('gives a bookmark, what there is and what comes, as it is in the log', async () => {
    const { log, server } = await serveEvents();
    log.append([{ type: 'RUN_STARTED', identity: 'a.example', runId }]);
    const watch = eventsClient(server.address).watch({ start: 'earliest', earliest: {} });
    await watch.count(2);
    log.append([{ type: 'PAUSED' }, { type: 'RESUMED' }]);
    expect(await watch.count(4)).toEqual(['=0', '1', '2', '3']);
    const position = { log_id: log.logId, sequence: 0 };
    expect(watch.received[0]).toEqual({ message: 'bookmark', bookmark: { position } });
    expect(watch.received[1]).toMatchObject({
      message: 'events',
      events: {
        log_id: log.logId,
        events: [{ sequence: 1, type: 'EVENT_TYPE_RUN_STARTED', identity: 'a.example', run_id: runId }],
      },
    });
  });

  it.each([{}, { start: 'now', now: {} }])('starts now where it is told %j', async (start) => {
    const { log, server } = await serveEvents();
    log.append(plain(3));
    const watch = eventsClient(server.address).watch(start);
    expect(await watch.count(1)).toEqual(['=3']);
    log.append(plain(1));
    expect(await watch.count(2)).toEqual(['=3', '4']);
  });

  it('resumes after a position, with a gap where that is needed', async () => {
    const { log, server } = await serveEvents();
    log.append(plain(5));
    log.lose(2);
    log.append(plain(1));
    log.removeUpTo(3);
    const client = eventsClient(server.address);
    const since = (log_id: string, sequence: number) => ({
      start: 'after',
      after: { log_id, sequence },
    });
    const resumed = client.watch(since(log.logId.toUpperCase(), 1));
    const gaps = ['GAP_REASON_RETENTION 2-3', '4', '5', 'GAP_REASON_WRITE_FAILED 6-7', '8'];
    expect(await resumed.count(6)).toEqual(['=1', ...gaps]);
    const former = 'c0ffee00-8f43-4d2c-9a76-5f6f3c1d2e01';
    const replaced = client.watch(since(former, 70));
    expect(await replaced.count(8)).toEqual([
      '=70',
      'GAP_REASON_LOG_REPLACED 71-0',
      '=0',
      'GAP_REASON_RETENTION 1-3',
      ...gaps.slice(1),
    ]);
    expect(replaced.received.slice(0, 3)).toEqual([
      { message: 'bookmark', bookmark: { position: { log_id: former, sequence: 70 } } },
      { message: 'gap', gap: { log_id: former, first: 71, last: 0, reason: 'GAP_REASON_LOG_REPLACED' } },
      { message: 'bookmark', bookmark: { position: { log_id: log.logId, sequence: 0 } } },
    ]);
  });

  it('says where the log has not come to a position', async () => {
    const { log, server } = await serveEvents();
    const after = { log_id: log.logId, sequence: 1 };
    const error = await eventsClient(server.address).watch({ start: 'after', after }).ended;
    expect(error).toMatchObject({
      code: status.OUT_OF_RANGE,
      details: `after.sequence: the log ${log.logId} has no event 1: its last one is 0`,
    });
  });

  it('says where no log goes as far as a position, whatever log it is in', async () => {
    const { log, server } = await serveEvents();
    for (const log_id of [log.logId, runId]) {
      const after = { log_id, sequence: '9223372036854775807' };
      const error = await eventsClient(server.address).watch({ start: 'after', after }).ended;
      expect(error).toMatchObject({
        code: status.OUT_OF_RANGE,
        details: expect.stringContaining(`the log ${log_id} has no event `),
      });
    }
  });

  it('filters by each part, and by all together', async () => {
    const { log, server } = await serveEvents();
    const other = newRunId();
    log.append([
      { type: 'HOST_QUEUED', identity: 'web1' },
      { type: 'RUN_STARTED', identity: 'web1', runId },
      { type: 'RUN_FINISHED', identity: 'web1', runId, outcome: 'FAILED' },
      { type: 'RUN_FINISHED', identity: 'web10', runId: other, outcome: 'PROVISIONED' },
      { type: 'PAUSED' },
    ]);
    const client = eventsClient(server.address);
    const cases: (readonly [filter: Message, numbers: string[]])[] = [
      [{}, ['1', '2', '3', '4', '5']],
      [{ types: ['EVENT_TYPE_PAUSED', 'EVENT_TYPE_HOST_QUEUED'] }, ['1', '5']],
      [{ outcomes: ['OUTCOME_FAILED', 'OUTCOME_PROVISIONED'] }, ['3', '4']],
      [{ identity: 'WEB1' }, ['1', '2', '3']],
      [{ identity_prefix: 'Web1' }, ['1', '2', '3', '4']],
      [{ run_id: runId.toUpperCase() }, ['2', '3']],
      [{ identity_prefix: 'web1', outcomes: ['OUTCOME_PROVISIONED'] }, ['4']],
    ];
    for (const [filter, numbers] of cases) {
      const watch = client.watch({ start: 'earliest', earliest: {}, filter });
      expect(await watch.count(1 + numbers.length)).toEqual(['=0', ...numbers]);
      const listed = await client.list({ filter });
      expect((listed.events as Message[]).map(({ sequence }) => String(sequence))).toEqual(numbers);
      watch.cancel();
    }
  });

  it.each([
    ['after.log_id', { start: 'after', after: { log_id: 'x', sequence: 1 } }],
    ['after.sequence', { start: 'after', after: { log_id: runId, sequence: -1 } }],
    ['filter.types.0', { filter: { types: [0] } }],
    ['filter.types.1', { filter: { types: [1, 99] } }],
    ['filter.outcomes.0', { filter: { outcomes: [99] } }],
    // As a whole: a message has room for millions, and each would be looked at and complained about.
    ['filter.types', { filter: { types: Array.from({ length: 101 }, () => 99) } }],
    ['filter.outcomes', { filter: { outcomes: Array.from({ length: 101 }, () => 1) } }],
    ['filter.identity_prefix', { filter: { identity_prefix: 'a'.repeat(254) } }],
    ['filter.identity', { filter: { identity: 'no spaces' } }],
    ['filter.run_id', { filter: { run_id: 'x' } }],
  ])('names %s where that is wrong', async (field, request) => {
    const { server } = await serveEvents();
    const error = await eventsClient(server.address).watch(request).ended;
    expect(error).toMatchObject({
      code: status.INVALID_ARGUMENT,
      details: expect.stringMatching(new RegExp(`^${field}: `)),
    });
  });

  it('ends with UNAVAILABLE when the provisioner stops', async () => {
    const { log, server, service } = await serveEvents();
    log.append(plain(1));
    const client = eventsClient(server.address);
    const watches = [client.watch(), client.watch({ start: 'earliest', earliest: {} })];
    for (const watch of watches) await watch.count(1);
    expect(service.subscribers).toBe(2);
    await server.stop(5000);
    for (const watch of watches) expect(await watch.ended).toMatchObject({ code: status.UNAVAILABLE });
    expect(service.subscribers).toBe(0);
  });

  it('ends with UNAVAILABLE while the log cannot be read, and so does a list', async () => {
    const { log, server, service } = await serveEvents();
    const client = eventsClient(server.address);
    const watch = client.watch();
    await watch.count(1);
    const { read } = log;
    log.read = () => {
      throw new StoreError('/var/lib/slipway/events is not open');
    };
    log.append(plain(1));
    const unreadable = {
      code: status.UNAVAILABLE,
      details: 'the event log cannot be read at this moment: try again',
    };
    expect(await watch.ended).toMatchObject(unreadable);
    await expect(client.list()).rejects.toMatchObject(unreadable);
    expect(service.subscribers).toBe(0);
    log.read = read;
    const after = { log_id: log.logId, sequence: 0 };
    expect(await client.watch({ start: 'after', after }).count(2)).toEqual(['=0', '1']);
  });

  it('is refused where too many are open, until one of them ends', async () => {
    const { server, service } = await serveEvents({ 'grpc.max_concurrent_streams': 2 * mostWatches });
    const client = eventsClient(server.address);
    const watches = Array.from({ length: mostWatches }, () => client.watch());
    for (const watch of watches) await watch.count(1);
    expect(await client.watch().ended).toMatchObject({ code: status.RESOURCE_EXHAUSTED });
    watches[0]?.cancel();
    await watches[0]?.ended;
    while (service.subscribers === mostWatches) await new Promise((resolve) => setImmediate(resolve));
    await client.watch().count(1);
  });
});

describe('a consumer that stands still', () => {
  it('holds one message and delays nobody; retention overtakes it, and it is told so', async () => {
    const { log, server } = await serveEvents();
    const slow = eventsClient(server.address).watch({ start: 'earliest', earliest: {} });
    await slow.count(1);
    slow.pause();
    const quick = eventsClient(server.address).watch();
    await quick.count(1);
    for (let step = 1; step <= 40; step++) {
      log.append(plain(250), 1000);
      await quick.count(1 + step * 250);
    }
    const before = log.reads;
    expect(before).toBeLessThan(200);
    log.removeUpTo(9_000);
    slow.resume();
    await expect.poll(() => slow.told.at(-1)).toBe('10000');
    const gaps = slow.told.filter((word) => word.startsWith('GAP'));
    expect(gaps).toHaveLength(1);
    const [, first] = /^GAP_REASON_RETENTION (\d+)-9000$/.exec(gaps[0] ?? '') ?? [];
    expect(slow.told.slice(0, Number(first))).toEqual([
      '=0',
      ...Array.from({ length: Number(first) - 1 }, (_, index) => String(index + 1)),
    ]);
    expect(slow.told.filter((word) => /^\d+$/.test(word))).toHaveLength(Number(first) - 1 + 1000);
  });

  it('is let go where it is dead', async () => {
    const { server, service } = await serveEvents({
      'grpc.keepalive_time_ms': 200,
      'grpc.keepalive_timeout_ms': 100,
    });
    const proxy = await FaultProxy.start({ target: server.address });
    try {
      const watch = eventsClient(proxy.address).watch();
      await watch.count(1);
      proxy.set({ kind: 'BLACK_HOLE' });
      await expect.poll(() => service.subscribers, { timeout: 10_000 }).toBe(0);
    } finally {
      await proxy[Symbol.asyncDispose]();
    }
  });
});

describe('ListEvents', () => {
  it('pages through the log in either direction, with what is missing', async () => {
    const { log, server } = await serveEvents();
    log.append(plain(150));
    log.lose(5);
    log.append(plain(45));
    const client = eventsClient(server.address);
    for (const newest_first of [false, true]) {
      const first = await client.list({ newest_first });
      expect(first).toMatchObject({ log_id: log.logId, next_page_token: expect.stringMatching(/./) });
      expect(first.events).toHaveLength(100);
      const rest = await client.list({
        newest_first,
        page_size: 1_000_000,
        page_token: first.next_page_token,
      });
      expect(rest).toMatchObject({ next_page_token: '' });
      const numbers = [first, rest].flatMap(({ events }) =>
        (events as { sequence: number }[]).map(({ sequence }) => sequence),
      );
      expect(numbers).toHaveLength(195);
      expect(newest_first ? numbers.toReversed() : numbers).toEqual(numbers.toSorted((a, b) => a - b));
      expect([first, rest].flatMap(({ gaps }) => gaps)).toEqual([
        { log_id: log.logId, first: 151, last: 155, reason: 'GAP_REASON_WRITE_FAILED' },
      ]);
    }
  });

  it.each<[string, Message]>([
    ['page_size', { page_size: -1 }],
    ['page_token', { page_token: 'nonsense' }],
    ['filter.identity', { filter: { identity: '-' } }],
  ])('names %s where that is wrong', async (field, request) => {
    const { server } = await serveEvents();
    await expect(eventsClient(server.address).list(request)).rejects.toMatchObject({
      code: status.INVALID_ARGUMENT,
      details: expect.stringMatching(new RegExp(`^${field}: `)),
    });
  });

  it('does not take a token of another log, or of the other order, for its own', async () => {
    const { log, server } = await serveEvents();
    log.append(plain(150));
    const client = eventsClient(server.address);
    const { next_page_token: page_token } = await client.list();
    await expect(client.list({ page_token, newest_first: true })).rejects.toMatchObject({
      code: status.INVALID_ARGUMENT,
    });
    log.logId = 'c0ffee00-8f43-4d2c-9a76-5f6f3c1d2e01';
    await expect(client.list({ page_token })).rejects.toMatchObject({
      code: status.FAILED_PRECONDITION,
    });
  });
});
