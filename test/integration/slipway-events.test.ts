// slipway events: reads a log, and follows what happens across losses, without leaving out or repeating anything.

import { status } from '@grpc/grpc-js';
import { describe, expect, test } from 'vitest';
import {
  Event,
  EventType,
  GapReason,
  type ListEventsRequest,
  ListEventsResponse,
  type WatchEventsRequest,
  WatchEventsResponse,
} from '../../shared/gen/slipway/provisioner/v1/events.js';
import { Outcome } from '../../shared/gen/slipway/provisioner/v1/host.js';
import { RpcError } from '../../shared/grpc/errors.js';
import { serverStream } from '../../shared/grpc/handler.js';
import { silentLogger } from '../../shared/logger.js';
import { answering, startFakeServices } from '../fakes/fake-provisioner.js';
import { type SlipwayOptions, slipway } from '../fakes/fake-terminal.js';
import { fromNoon, noon } from '../fakes/views.js';

const logId = '0192f0c0-0000-4000-8000-000000000001';

function event(sequence: number): Event {
  return Event.create({
    sequence: BigInt(sequence),
    id: `e-${sequence}`,
    time: fromNoon(sequence),
    identity: `n${sequence}`,
    type: EventType.PAUSED,
    details: { $case: 'paused', value: { by: `eve${sequence}`, message: '' } },
  });
}

function batch(...sequences: number[]): WatchEventsResponse {
  return WatchEventsResponse.create({
    message: { $case: 'events', value: { logId, events: sequences.map(event) } },
  });
}

function bookmark(sequence: number): WatchEventsResponse {
  const position = { logId, sequence: BigInt(sequence) };
  return WatchEventsResponse.create({ message: { $case: 'bookmark', value: { position } } });
}

function gap(first: number, last: number, reason: GapReason, of = logId): WatchEventsResponse {
  const value = { logId: of, first: BigInt(first), last: BigInt(last), reason };
  return WatchEventsResponse.create({ message: { $case: 'gap', value } });
}

/** What a watch gives; an error ends it, and one that gives nothing more stays open. */
type Script = (WatchEventsResponse | RpcError)[];

/** Answers each watch by the next script. */
function scripted(...scripts: Script[]) {
  const requests: WatchEventsRequest[] = [];
  const watchEvents = serverStream<WatchEventsRequest, WatchEventsResponse>(
    silentLogger(),
    async (request, { signal }, write) => {
      requests.push(request);
      for (const message of scripts.shift() ?? []) {
        if (message instanceof RpcError) throw message;
        await write(message);
      }
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    },
  );
  return { watchEvents, requests };
}

async function events(
  given: Parameters<typeof startFakeServices>[0]['events'],
  words: string[],
  options: SlipwayOptions = {},
) {
  const { address } = await startFakeServices({ events: given ?? {} });
  return slipway(['events', '--insecure', '--provisioner', address, ...words], {
    now: new Date(noon),
    ...options,
  });
}

/** Follows until that was printed. */
function until(text: string) {
  const stop = new AbortController();
  const look = (printed: string) => void (printed.includes(text) && stop.abort());
  return { stop: stop.signal, onOut: look, onErr: look };
}

const away = new RpcError(status.UNAVAILABLE, 'the provisioner stops');

describe('slipway events --follow', () => {
  test('goes on where it was after a loss, and says at its end where that is', async () => {
    const { watchEvents, requests } = scripted(
      [bookmark(4), batch(5, 6), away],
      [away],
      [bookmark(6), batch(7)],
    );
    const { code, out, err } = await events({ watchEvents }, ['--follow'], until('by eve7'));
    expect(code).toBe(0);
    expect(out.match(/by eve\d/g)).toEqual(['by eve5', 'by eve6', 'by eve7']);
    expect(requests.map(({ start }) => start)).toEqual([
      { $case: 'now', value: {} },
      { $case: 'after', value: { logId, sequence: 6n } },
      { $case: 'after', value: { logId, sequence: 6n } },
    ]);
    expect(err).toMatch(/cannot reach the provisioner at \S+: the provisioner stops; trying again\n/);
    expect(err.match(/trying again/g)).toHaveLength(1);
    expect(err).toContain('the provisioner is back; going on\n');
    expect(err).toContain(`to go on from here: --after ${logId}:7\n`);
  });

  test('a bookmark moves the place on where a filter leaves events out', async () => {
    const { watchEvents, requests } = scripted([bookmark(4), bookmark(90), away], [bookmark(90), batch(91)]);
    await events(
      { watchEvents },
      ['-f', '--type', 'paused', '--host', 'n1', '--outcome', 'failed'],
      until('eve91'),
    );
    expect(requests[1]?.start).toEqual({ $case: 'after', value: { logId, sequence: 90n } });
    expect(requests[1]?.filter).toMatchObject({
      types: [EventType.PAUSED],
      identity: 'n1',
      outcomes: [Outcome.FAILED],
    });
  });

  test('gaps are told, and gone on after', async () => {
    const old = 'old-log';
    const { watchEvents, requests } = scripted(
      [gap(9, 0, GapReason.LOG_REPLACED, old), bookmark(0), gap(1, 3, GapReason.RETENTION), away],
      [bookmark(3), batch(4)],
    );
    const { out } = await events({ watchEvents }, ['-f', '--after', `${logId}:9`], until('eve4'));
    expect(out.split('\n').map((line) => line.slice(0, 50))).toEqual([
      '-- the events of log old-log from 9 on are missing',
      '-- events 1 to 3 are missing: they were too old, o',
      expect.stringContaining('PAUSED'),
      '',
    ]);
    expect(requests[1]?.start).toEqual({ $case: 'after', value: { logId, sequence: 3n } });
  });

  test('--json is a line for each event, and for each gap', async () => {
    const { watchEvents } = scripted([bookmark(4), batch(5), gap(6, 7, GapReason.WRITE_FAILED), batch(8)]);
    const { out } = await events({ watchEvents }, ['-f', '--json'], until('"8"'));
    const lines = out.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      {
        logId,
        sequence: '5',
        type: 'EVENT_TYPE_PAUSED',
        time: '2030-01-01T12:00:05Z',
        paused: { by: 'eve5' },
      },
      { gap: { logId, first: '6', last: '7', reason: 'GAP_REASON_WRITE_FAILED' } },
      { sequence: '8' },
    ]);
  });

  test('a provisioner that is not there at first is an error', async () => {
    const words = ['events', '-f', '--insecure', '--provisioner', '127.0.0.1:1'];
    expect(await slipway(words)).toMatchObject({ code: 4, out: '' });
  });

  test('so is one that says nothing', async () => {
    const { watchEvents } = scripted([]);
    expect(await events({ watchEvents }, ['-f', '--timeout', '200ms'])).toMatchObject({ code: 4 });
  });

  test.each([
    [status.PERMISSION_DENIED, 5],
    [status.OUT_OF_RANGE, 1],
  ])('a refusal (%i) ends it, also when it comes back', async (code, exitCode) => {
    const { watchEvents } = scripted([bookmark(4), away], [new RpcError(code, 'no')]);
    expect(await events({ watchEvents }, ['-f'])).toMatchObject({ code: exitCode });
  });

  test('stops while it waits to come back', async () => {
    const { watchEvents } = scripted([bookmark(4), away]);
    const { code, err } = await events({ watchEvents }, ['-f'], until('trying again'));
    expect(code).toBe(0);
    expect(err).toContain(`--after ${logId}:4`);
  });
});

describe('slipway events', () => {
  test('prints the newest, oldest first, with what is missing between them', async () => {
    const pages: Record<string, Partial<ListEventsResponse>> = {
      '': { events: [event(9), event(8)], nextPageToken: '2' },
      '2': {
        events: [event(4)],
        gaps: [{ logId, first: 5n, last: 7n, reason: GapReason.WRITE_FAILED }],
        nextPageToken: '3',
      },
    };
    const listEvents = answering(({ pageToken }: ListEventsRequest) =>
      ListEventsResponse.create({ logId, ...pages[pageToken] }),
    );
    const { code, out } = await events({ listEvents: listEvents.handler }, ['--last', '3']);
    expect(code).toBe(0);
    expect(out.match(/eve\d|events 5 to 7/g)).toEqual(['eve4', 'events 5 to 7', 'eve8', 'eve9']);
    expect(listEvents.requests).toMatchObject([
      { pageSize: 3, newestFirst: true },
      { pageSize: 1, pageToken: '2' },
    ]);
  });

  test('--json is one document', async () => {
    const listEvents = answering(() =>
      ListEventsResponse.create({ logId, events: [event(2), event(1)] }),
    ).handler;
    const { out } = await events({ listEvents }, ['--json']);
    expect(JSON.parse(out)).toMatchObject({
      logId,
      events: [{ sequence: '1' }, { sequence: '2' }],
      gaps: [],
    });
  });

  test('--after ends with what was the newest that matches', async () => {
    const newest = ListEventsResponse.create({ logId, events: [event(7)] });
    const { watchEvents, requests } = scripted([bookmark(4), batch(5), away], [bookmark(5), batch(7, 8)]);
    const words = ['--after', `${logId}:4`, '--prefix', 'n'];
    const { code, out } = await events({ listEvents: answering(() => newest).handler, watchEvents }, words);
    expect(code).toBe(0);
    expect(out.match(/eve\d/g)).toEqual(['eve5', 'eve7']);
    expect(requests[0]).toMatchObject({ start: { $case: 'after' }, filter: { identityPrefix: 'n' } });
  });

  test('what matches is found also where it is far back', async () => {
    const pages: Record<string, Partial<ListEventsResponse>> = {
      '': { nextPageToken: '2' },
      '2': { events: [event(3)], nextPageToken: '3' },
    };
    const listEvents = answering(({ pageToken }: ListEventsRequest) =>
      ListEventsResponse.create({ logId, ...pages[pageToken] }),
    ).handler;
    const { watchEvents } = scripted([bookmark(0), batch(3), bookmark(20_000)]);
    const { code, out } = await events({ listEvents, watchEvents }, ['--earliest', '--type', 'paused']);
    expect(code).toBe(0);
    expect(out.match(/eve\d/g)).toEqual(['eve3']);
  });

  test.each([[[]], [['--json']]])('what is read is printed as it comes %j', async (words) => {
    const newest = ListEventsResponse.create({ logId, events: [event(900)] });
    const { watchEvents } = scripted([bookmark(0), batch(1, 2), gap(3, 4, GapReason.WRITE_FAILED), batch(5)]);
    const listEvents = answering(() => newest).handler;
    const read = await events({ listEvents, watchEvents }, ['--earliest', ...words], until('eve5'));
    expect(read.code).toBe(0);
    expect(read.out.match(/eve\d/g)).toEqual(['eve1', 'eve2', 'eve5']);
    const told = [{ logId, first: '3', last: '4', reason: 'GAP_REASON_WRITE_FAILED' }];
    if (words.length === 0) expect(read.out).toMatch(/eve2\n-- events 3 to 4 are missing.*\n.*eve5\n$/);
    else expect(JSON.parse(read.out)).toMatchObject({ logId, gaps: told, nextPageToken: '' });
  });

  test('no more is taken from the provisioner than whoever reads along takes', async () => {
    const stop = new AbortController();
    const { watchEvents } = scripted([bookmark(0), batch(1), batch(2), batch(3)]);
    const listEvents = answering(() => ListEventsResponse.create({ logId, events: [event(900)] })).handler;
    let asked = 0;
    const room = () => {
      asked += 1;
      if (asked < 2) return undefined;
      // Whoever never has room gets nothing more, however long the command goes on.
      setTimeout(() => stop.abort(), 200);
      return new Promise<void>(() => {});
    };
    const { out } = await events({ listEvents, watchEvents }, ['--earliest'], { room, stop: stop.signal });
    expect({ asked, out: out.match(/eve\d/g) }).toEqual({ asked: 2, out: ['eve1'] });
  });

  test('a great number of the newest is not held: where they begin is looked for', async () => {
    const listEvents = answering(({ pageToken, pageSize }: ListEventsRequest) => {
      const from = pageToken === '' ? 20_000 : Number(pageToken);
      const found = Array.from({ length: pageSize }, (_, index) => event(from - index));
      const nextPageToken = String(from - pageSize);
      return ListEventsResponse.create({ logId, events: found, nextPageToken });
    });
    const { watchEvents, requests } = scripted([bookmark(9_999), batch(10_000, 20_000)]);
    const { out } = await events({ listEvents: listEvents.handler, watchEvents }, ['--last', '10001']);
    expect(out.match(/eve\d+/g)).toEqual(['eve10000', 'eve20000']);
    expect(requests).toMatchObject([{ start: { $case: 'after', value: { logId, sequence: 9_999n } } }]);
    expect(listEvents.requests.map(({ pageSize }) => pageSize)).toEqual([...Array(10).fill(1_000), 1, 1]);
  });

  test('--earliest of an empty log', async () => {
    const listEvents = answering(() => ListEventsResponse.create({ logId })).handler;
    const { watchEvents } = scripted([bookmark(0)]);
    expect(await events({ listEvents, watchEvents }, ['--earliest'])).toEqual({
      code: 0,
      out: '',
      err: 'no events\n',
    });
  });

  test.each([
    [['--after', '12'], 'Expected LOG_ID:SEQUENCE'],
    [['--earliest', '--after', `${logId}:1`], 'cannot be used with'],
    [['--type', 'run-finishd'], 'did you mean RUN_FINISHED?'],
    [['--last', '0'], 'Expected a whole number'],
  ])('%j is told', async (words, said) => {
    const { code, err } = await events({}, words);
    expect(code).toBe(2);
    expect(err).toContain(said);
  });
});
