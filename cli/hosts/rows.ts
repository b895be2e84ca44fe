// Hosts as a table: where each stands, since when, for how long, and how its last run ended.

import { HostState, Step } from '../../shared/gen/slipway/provisioner/v1/host.js';
import type { Host } from '../../shared/gen/slipway/provisioner/v1/provisioner.js';
import { printable } from '../../shared/printable.js';
import { distance } from '../text/moments.js';
import { nameOf } from '../text/name.js';
import { retext, type Toned } from '../text/paint.js';
import { type Column, table } from '../text/table.js';
import type { View } from '../text/view.js';
import { messageInWords, tonedOutcome } from '../words/outcomes.js';
import { tonedState } from '../words/states.js';

const columns: readonly Column[] = [
  { title: 'IDENTITY', whole: true },
  { title: 'STATE', whole: true },
  { title: 'SINCE', right: true },
  { title: 'LEFT', right: true },
  { title: 'FAILED', right: true },
  { title: 'LAST RUN' },
  { title: 'ADDRESS', spare: true },
  { title: 'MESSAGE', spare: true },
];

/** @param rows as {@link hostRow} makes them */
export function hostLines(rows: readonly (readonly Toned[])[], view: View): string[] {
  return table(columns, rows, view);
}

/** What the table has of a host: less than the host itself takes. */
export function hostRow(host: Host, view: View): Toned[] {
  return [
    printable(host.identity),
    tonedState(host.state, whereIn(host)),
    distance(host.stateSince, view),
    distance(host.stateUntil, view),
    host.failuresInARow === 0 ? '' : String(host.failuresInARow),
    tonedLast(host),
    printable(host.address),
    {
      text: messageInWords({ outcome: host.lastOutcome, message: host.lastMessage }),
      tone: 'quiet',
    },
  ];
}

/** The reason alone where there is one, which tells more than that it failed. */
function tonedLast({ lastOutcome, lastReason }: Host): Toned {
  const toned = tonedOutcome({ outcome: lastOutcome, reason: lastReason });
  return lastReason === '' ? toned : retext(toned, printable(lastReason));
}

/** The place in the queue, or the step. */
export function whereIn({ state, queuePlace, step }: Host): string {
  switch (state) {
    case HostState.QUEUED:
      return queuePlace > 0 ? `#${queuePlace}` : '';
    case HostState.RUNNING:
      return nameOf(Step, step);
    default:
      return '';
  }
}
