// Why a host is where it is, on one screen: its state and since when, what it waits for and until when, what to do, and
// its last runs in words.

import { HostState } from '../../shared/gen/slipway/provisioner/v1/host.js';
import {
  type GetHostResponse,
  Host,
  type Wait,
} from '../../shared/gen/slipway/provisioner/v1/provisioner.js';
import { printable } from '../../shared/printable.js';
import { count } from '../text/count.js';
import { indented } from '../text/fold.js';
import { clock, moment, since, span } from '../text/moments.js';
import { paint, type Tone } from '../text/paint.js';
import type { View } from '../text/view.js';
import { stateInWords } from '../words/states.js';
import { whereIn } from './rows.js';
import { runsInWords } from './runs-in-words.js';
import { causeInWords } from './waits.js';

export function whyLines(response: GetHostResponse, view: View): string[] {
  const { host = Host.create(), waits } = response;
  return [
    ...stateLines(host, waits, view),
    ...waitLines(host, waits, view),
    '',
    ...runsInWords(response, view),
  ];
}

function stateLines(host: Host, waits: readonly Wait[], view: View): string[] {
  const place = whereIn(host);
  const where =
    host.state === HostState.RUNNING && place !== '' ? ` at ${place}` : place === '' ? '' : ` (${place})`;
  const time = host.stateSince === undefined ? '' : timeIn(host.state, host.stateSince, view);
  const first = `${printable(host.identity)} ${stateInWords(host.state)}${where}${time}.`;
  const failed = `${count(host.failuresInARow, 'run')} in a row`;
  // Where it decides, the provisioner says so itself.
  const isSaid = host.failuresInARow < 2 || waits.some(({ message }) => message.includes(failed));
  const row = isSaid ? [] : [`${failed} have failed.`];
  const sighted =
    host.lastSightedAt === undefined ? [] : [`Last sighted ${moment(host.lastSightedAt, view)}.`];
  return [
    paint({ text: first, tone: 'title' }, view),
    ...indented([...row, ...sighted].join(' '), 0, view.columns).filter((line) => line !== ''),
  ];
}

function timeIn(state: HostState, begun: Date, view: View): string {
  return state === HostState.RELEASED
    ? `: it was released ${moment(begun, view)}`
    : `, ${since(begun, view)}`;
}

function waitLines(host: Host, waits: readonly Wait[], view: View): string[] {
  const [first, ...others] = waits;
  if (first === undefined) {
    const nothing =
      host.state === HostState.RELEASED ? 'It waits for nothing: it is done with.' : 'It waits for nothing.';
    return ['', nothing];
  }
  return [
    '',
    ...waitOf('It waits for', first, 'busy', view),
    ...others.flatMap((wait) => waitOf('Then also for', wait, undefined, view)),
  ];
}

function waitOf(lead: string, { cause, until, message }: Wait, tone: Tone | undefined, view: View): string[] {
  const when = until === undefined ? '' : `, ${limit(until, view)}`;
  const head = paint({ text: `${lead} ${causeInWords(cause)}${when}.`, tone }, view);
  const parts = message === '' ? [] : printable(message).split(/ (?=What to do: )/);
  return [head, ...parts.flatMap((part) => indented(sentence(part), 2, view.columns))];
}

/** The end of a wait: `for 4 min 12 s more, until 14:03:22`. */
function limit(until: Date, view: View): string {
  const left = until.getTime() - view.now;
  const at = clock(until, view);
  return left <= 0 ? `until ${at}, which is now` : `for ${span(left)} more, until ${at}`;
}

/** Ends with a full stop. */
function sentence(text: string): string {
  return /[.!?:]$/.test(text) ? text : `${text}.`;
}
