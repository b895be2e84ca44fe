// Events, and gaps between them, as lines: a time, what happened, to whom, and the rest.

import {
  type Event,
  EventType,
  type Gap,
  GapReason,
} from '../../shared/gen/slipway/provisioner/v1/events.js';
import { Outcome } from '../../shared/gen/slipway/provisioner/v1/host.js';
import { printable } from '../../shared/printable.js';
import { cut } from '../text/fold.js';
import { clock } from '../text/moments.js';
import { nameOf } from '../text/name.js';
import { paint, type Tone } from '../text/paint.js';
import type { View } from '../text/view.js';
import { detailsOf } from './details.js';

/** Lines come one by one: columns are as wide as what usually stands in them. */
const typeWidth = 'CONFIRMATION_MISSED'.length;
const identityWidth = 24;

export function eventLine(event: Event, view: View): string {
  const time = event.time === undefined ? '' : clock(event.time, view, true);
  const type = nameOf(EventType, event.type).padEnd(typeWidth);
  const identity = printable(event.identity).padEnd(identityWidth);
  const before = `${time}  ${type}  ${identity}  `;
  const details = detailsOf(event, view);
  const room = view.columns === undefined ? details.length : Math.max(view.columns - before.length, 20);
  return `${time}  ${paint({ text: type, tone: toneOf(event) }, view)}  ${identity}  ${cut(details, room)}`.trimEnd();
}

export function gapLine({ first, last, reason, logId }: Gap, view: View): string {
  const which =
    last === 0n
      ? `the events of log ${printable(logId)} from ${first} on are missing`
      : first === last
        ? `event ${first} is missing`
        : `events ${first} to ${last} are missing`;
  const why = gapWords[reason] ?? nameOf(GapReason, reason);
  return paint({ text: `-- ${which}: ${why} --`, tone: 'bad' }, view);
}

const gapWords: Readonly<Record<GapReason, string>> = {
  [GapReason.UNSPECIFIED]: 'nobody said why',
  [GapReason.RETENTION]: 'they were too old, or too many, and are removed',
  [GapReason.WRITE_FAILED]: 'the provisioner could not write them',
  [GapReason.LOG_REPLACED]: 'the provisioner has another log now',
  [GapReason.UNRECOGNIZED]: 'for a reason that this version does not know',
};

function toneOf({ type, details }: Event): Tone | undefined {
  switch (type) {
    case EventType.NODE_CONFIRMED:
    case EventType.BREAKER_CLOSED:
      return 'good';
    case EventType.HOST_DROPPED:
    case EventType.CONFIRMATION_MISSED:
    case EventType.PROVISION_LOOP:
    case EventType.NODE_CONFLICT:
    case EventType.BREAKER_OPENED:
    case EventType.LEADER_LOST:
      return 'bad';
    case EventType.STEP_FAILED:
    case EventType.PAUSED:
    case EventType.RESUMED:
      return 'busy';
    case EventType.RUN_FINISHED: {
      const outcome = details?.$case === 'runFinished' ? details.value.outcome : Outcome.UNSPECIFIED;
      return outcome === Outcome.FAILED || outcome === Outcome.UPGRADE_FAILED ? 'bad' : undefined;
    }
    default:
      return undefined;
  }
}
