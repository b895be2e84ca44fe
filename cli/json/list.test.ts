import { describe, expect, test } from 'vitest';
import { Event, GapReason, ListEventsResponse } from '../../shared/gen/slipway/provisioner/v1/events.js';
import { openList } from './list.js';
import { printJson } from './print.js';

const name = 'slipway.provisioner.v1.ListEventsResponse';
const logId = '0192f0c0-0000-4000-8000-000000000001';
const gaps = [{ logId, first: 4n, last: 5n, reason: GapReason.WRITE_FAILED }];
const ends = { logId, gaps, nextPageToken: 'x' };

function page(...sequences: number[]): ListEventsResponse {
  const events = sequences.map((sequence) =>
    Event.create({ sequence: BigInt(sequence), identity: 'a\u009bb\n' }),
  );
  return ListEventsResponse.create({ logId, events });
}

async function printed(pages: readonly ListEventsResponse[], last: ListEventsResponse): Promise<string> {
  let out = '';
  const list = await openList(name, ListEventsResponse, 'events', {
    out: (text) => (out += text),
    room: () => undefined,
  });
  for (const each of pages) list.add(each);
  list.end(last);
  return out;
}

async function whole(message: ListEventsResponse): Promise<string> {
  let out = '';
  await printJson(name, ListEventsResponse, message, { out: (text) => (out += text) });
  return out;
}

describe('a list that is printed page by page is the document that it would be as a whole', () => {
  test.each<[string, number[][], number[]]>([
    ['no page before the last', [], [1, 2]],
    ['several pages', [[1, 2], [3]], [6]],
    ['pages without items', [[], [1], [], [2]], []],
    ['no items at all', [[], []], []],
  ])('%s', async (_, pages, last) => {
    const events = [...pages, last].flatMap((each) => page(...each).events);
    const end = ListEventsResponse.create({ ...page(...last), ...ends });
    expect(
      await printed(
        pages.map((each) => page(...each)),
        end,
      ),
    ).toBe(await whole(ListEventsResponse.create({ ...ends, events })));
  });
});
