// slipway events --follow: prints what happens until it is stopped.

import type {
  EventFilter,
  ProvisioningEventServiceClient,
} from '../../shared/gen/slipway/provisioner/v1/events.js';
import type { Connection } from '../connection/connect.js';
import type { Terminal } from '../terminal.js';
import { type View, viewOf } from '../text/view.js';
import { type Lines, linesFor } from './lines.js';
import { formatPosition } from './position.js';
import { type Start, watchEvents } from './watch.js';

export interface FollowOptions {
  readonly start: Start;
  readonly filter: EventFilter;
  readonly json: boolean;
}

/** @throws CommandError where it cannot start, or cannot go on */
export async function follow(
  connection: Connection<ProvisioningEventServiceClient>,
  { start, filter, json }: FollowOptions,
  terminal: Terminal,
): Promise<void> {
  const stop = new AbortController();
  terminal.onStop(() => stop.abort());
  const view = (): View => viewOf(terminal);
  const lines: Lines = await linesFor(json);
  const position = await watchEvents(connection, {
    start,
    filter,
    room: terminal.room,
    stop: stop.signal,
    watcher: {
      events: (logId, events) => {
        const now = view();
        terminal.out(events.map((event) => `${lines.event(logId, event, now)}\n`).join(''));
      },
      gap: (gap) => terminal.out(`${lines.gap(gap, view())}\n`),
      lost: (why) => terminal.err(`${why}; trying again\n`),
      back: () => terminal.err('the provisioner is back; going on\n'),
      reached: () => false,
    },
  });
  if (position !== undefined) terminal.err(`to go on from here: --after ${formatPosition(position)}\n`);
}
