// slipway events without --follow: what the log has, oldest first.

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
import { printJson } from '../json/print.js';
import type { Terminal } from '../terminal.js';
import { viewOf } from '../text/view.js';
import { eventLine, gapLine } from './line.js';
import { type Start, watchEvents } from './watch.js';

type Events = Connection<ProvisioningEventServiceClient>;

interface Reading {
  readonly filter: EventFilter;
  readonly json: boolean;
}

/** Prints the newest that match. */
export async function printNewest(
  { client, call }: Events,
  { count, filter, json }: Reading & { readonly count: number },
  terminal: Terminal,
): Promise<void> {
  const found = ListEventsResponse.create();
  let pageToken = '';
  do {
    const wanted = Math.min(count - found.events.length, pageSize);
    const page = await call(client.listEvents, { pageSize: wanted, pageToken, filter, newestFirst: true });
    found.logId = page.logId;
    found.events.push(...page.events);
    found.gaps.push(...page.gaps);
    pageToken = page.nextPageToken;
  } while (pageToken !== '' && found.events.length < count);
  found.events.reverse();
  found.gaps.reverse();
  await print(found, json, terminal);
}

/** Prints all that match from a place on, to what was the newest when it began. */
export async function printAll(
  connection: Events,
  { start, filter, json }: Reading & { readonly start: Start },
  terminal: Terminal,
): Promise<void> {
  const newest = await newestOf(connection, filter);
  const end = newest.sequence;
  const found = ListEventsResponse.create({ logId: newest.logId });
  const stop = new AbortController();
  terminal.onStop(() => stop.abort());
  await watchEvents(connection, {
    start,
    filter,
    stop: stop.signal,
    watcher: {
      events: (_, events) => void found.events.push(...events.filter(({ sequence }) => sequence <= end)),
      gap: (gap) => void found.gaps.push(gap),
      lost: (why) => terminal.err(`${why}; trying again\n`),
      back: () => terminal.err('the provisioner is back; going on\n'),
      reached: ({ logId, sequence }) => logId === newest.logId && sequence >= end,
    },
  });
  await print(found, json, terminal);
}

/** The place of the newest that matches; of none where none does. A page without one need not be the last. */
async function newestOf({ client, call }: Events, filter: EventFilter): Promise<LogPosition> {
  let pageToken = '';
  for (;;) {
    const page = await call(client.listEvents, { pageSize: 1, pageToken, filter, newestFirst: true });
    const [newest] = page.events;
    if (newest !== undefined || page.nextPageToken === '') {
      return { logId: page.logId, sequence: newest?.sequence ?? 0n };
    }
    pageToken = page.nextPageToken;
  }
}

async function print(found: ListEventsResponse, json: boolean, terminal: Terminal): Promise<void> {
  if (json) {
    await printJson('slipway.provisioner.v1.ListEventsResponse', ListEventsResponse, found, terminal);
    return;
  }
  if (found.events.length === 0 && found.gaps.length === 0) {
    terminal.err('no events\n');
    return;
  }
  const view = viewOf(terminal);
  for (const item of inOrder(found.events, found.gaps, found.logId)) {
    terminal.out(`${'id' in item ? eventLine(item, view) : gapLine(item, view)}\n`);
  }
}

/** Gaps where what is missing would stand; those of another log come before this one. */
function inOrder(events: readonly Event[], gaps: readonly Gap[], logId: string): (Event | Gap)[] {
  const place = (item: Event | Gap): bigint => {
    if ('id' in item) return item.sequence;
    return item.logId === logId ? item.first : -1n;
  };
  return [...gaps, ...events].toSorted((one, other) => {
    const [first, second] = [place(one), place(other)];
    return first < second ? -1 : first > second ? 1 : 0;
  });
}
