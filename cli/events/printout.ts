// Prints events that are read from the log as they come: for people a line each, for programs one JSON document, in which
// what is missing stands behind the events.

import { type Event, type Gap, ListEventsResponse } from '../../shared/gen/slipway/provisioner/v1/events.js';
import { openList } from '../json/list.js';
import type { Terminal } from '../terminal.js';
import { viewOf } from '../text/view.js';
import { eventLine, gapLine } from './line.js';

/** Takes what is found, in the order in which it happened. */
export interface Printout {
  events(events: readonly Event[]): void;
  gap(gap: Gap): void;
  /** That was all. */
  end(): void;
}

export function openPrintout(logId: string, json: boolean, terminal: Terminal): Promise<Printout> {
  return json ? document(logId, terminal) : Promise.resolve(lines(terminal));
}

function lines(terminal: Terminal): Printout {
  const view = viewOf(terminal);
  let isEmpty = true;
  const print = (text: string) => {
    isEmpty &&= text === '';
    terminal.out(text);
  };
  return {
    events: (events) => print(events.map((event) => `${eventLine(event, view)}\n`).join('')),
    gap: (gap) => print(`${gapLine(gap, view)}\n`),
    end: () => {
      if (isEmpty) terminal.err('no events\n');
    },
  };
}

async function document(logId: string, terminal: Terminal): Promise<Printout> {
  const name = 'slipway.provisioner.v1.ListEventsResponse';
  const list = await openList(name, ListEventsResponse, 'events', terminal);
  const gaps: Gap[] = [];
  return {
    events: (events) => list.add({ logId, events: [...events], gaps: [], nextPageToken: '' }),
    gap: (gap) => void gaps.push(gap),
    end: () => list.end(ListEventsResponse.create({ logId, gaps })),
  };
}
