// slipway events without --follow: what the log has, oldest first. However much that is, little of it is held at a time.

import {
  type Event,
  type EventFilter,
  type Gap,
  ListEventsResponse,
  type LogPosition,
  type ProvisioningEventServiceClient,
} from '../../shared/gen/slipway/provisioner/v1/events.js';
import type { Connection } from '../connection/connect.js';
import { pageSize } from '../connection/pages.js';
import type { Terminal } from '../terminal.js';
import { openPrintout } from './printout.js';
import { type Start, watchEvents } from './watch.js';

type Events = Connection<ProvisioningEventServiceClient>;

interface Reading {
  readonly filter: EventFilter;
  readonly json: boolean;
}

/** Events that are held, to be turned round; of more only the place is looked for. */
const mostHeld = 10_000;

/** Prints the newest that match. */
export async function printNewest(
  connection: Events,
  { count, filter, json }: Reading & { readonly count: number },
  terminal: Terminal,
): Promise<void> {
  const found = ListEventsResponse.create();
  for await (const page of newestFirst(connection, filter, count)) {
    found.logId = page.logId;
    if (count > mostHeld) found.events = page.events.slice(-1);
    else {
      found.events.push(...page.events);
      found.gaps.push(...page.gaps);
    }
  }
  const [oldest] = found.events.reverse();
  if (count > mostHeld && oldest !== undefined) {
    const start = { $case: 'after', value: { logId: found.logId, sequence: oldest.sequence - 1n } } as const;
    return printAll(connection, { start, filter, json }, terminal);
  }
  const printout = await openPrintout(found.logId, json, terminal);
  for (const item of inOrder(found)) 'id' in item ? printout.events([item]) : printout.gap(item);
  printout.end();
}

/** Gives pages of those that match, until there are so many. A page without any need not be the last. */
async function* newestFirst(
  { client, call }: Events,
  filter: EventFilter,
  count: number,
): AsyncGenerator<ListEventsResponse> {
  let pageToken = '';
  let missing = count;
  do {
    const wanted = Math.min(missing, pageSize);
    const page = await call(client.listEvents, { pageSize: wanted, pageToken, filter, newestFirst: true });
    yield page;
    missing -= page.events.length;
    pageToken = page.nextPageToken;
  } while (pageToken !== '' && missing > 0);
}

/** Prints all that match from a place on, to what was the newest when it began. */
export async function printAll(
  connection: Events,
  { start, filter, json }: Reading & { readonly start: Start },
  terminal: Terminal,
): Promise<void> {
  const newest = await newestOf(connection, filter);
  const end = newest.sequence;
  const printout = await openPrintout(newest.logId, json, terminal);
  const stop = new AbortController();
  terminal.onStop(() => stop.abort());
  await watchEvents(connection, {
    start,
    filter,
    room: terminal.room,
    stop: stop.signal,
    watcher: {
      events: (_, events) => printout.events(events.filter(({ sequence }) => sequence <= end)),
      gap: printout.gap,
      lost: (why) => terminal.err(`${why}; trying again\n`),
      back: () => terminal.err('the provisioner is back; going on\n'),
      reached: ({ logId, sequence }) => logId === newest.logId && sequence >= end,
    },
  });
  printout.end();
}

/** The place of the newest that matches; of none where none does. */
async function newestOf(connection: Events, filter: EventFilter): Promise<LogPosition> {
  const place = { logId: '', sequence: 0n };
  for await (const { logId, events } of newestFirst(connection, filter, 1)) {
    place.logId = logId;
    place.sequence = events[0]?.sequence ?? 0n;
  }
  return place;
}

/** Gaps where what is missing would stand; those of another log come before this one. */
function inOrder({ events, gaps, logId }: ListEventsResponse): (Event | Gap)[] {
  const place = (item: Event | Gap): bigint => {
    if ('id' in item) return item.sequence;
    return item.logId === logId ? item.first : -1n;
  };
  return [...gaps, ...events].toSorted((one, other) => {
    const [first, second] = [place(one), place(other)];
    return first < second ? -1 : first > second ? 1 : 0;
  });
}
