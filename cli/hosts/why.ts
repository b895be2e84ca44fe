// Why a host is where it is, on one screen: its state and since when, what it waits for and until when, what to do, and
// its last runs in words.

import { HostState, Step } from '../../shared/gen/slipway/provisioner/v1/host.js';
import {
  Confirmation,
  type GetHostResponse,
  Host,
  type Run,
  type Wait,
} from '../../shared/gen/slipway/provisioner/v1/provisioner.js';
import { printable } from '../../shared/printable.js';
import { count } from '../text/count.js';
import { indented } from '../text/fold.js';
import { clock, moment, since, span, wireSpan } from '../text/moments.js';
import { nameOf } from '../text/name.js';
import { paint, type Tone } from '../text/paint.js';
import type { View } from '../text/view.js';
import { outcomeInWords, outcomeName, tonedOutcome } from '../words/outcomes.js';
import { meaningOf } from '../words/reasons.js';
import { stateInWords } from '../words/states.js';
import { whereIn } from './rows.js';
import { causeInWords } from './waits.js';

/** As many runs as leave room for the rest. */
const mostRuns = 5;

export function whyLines({ host, waits, runs }: GetHostResponse, view: View): string[] {
  const shown = host ?? Host.create();
  const older = runs.length - mostRuns;
  return [
    ...stateLines(shown, waits, view),
    ...waitLines(shown, waits, view),
    ...(runs.length === 0 ? ['', 'No run of it is remembered.'] : ['', 'Its runs, newest first:']),
    ...runs.slice(0, mostRuns).flatMap((run) => runLines(run, view)),
    ...(older > 0
      ? [`  … and ${count(older, 'more', 'more')}: slipway host ${printable(shown.identity)}`]
      : []),
  ];
}

function stateLines(host: Host, waits: readonly Wait[], view: View): string[] {
  const place = whereIn(host);
  const where =
    host.state === HostState.RUNNING && place !== '' ? ` at ${place}` : place === '' ? '' : ` (${place})`;
  const time =
    host.state === HostState.RELEASED || host.stateSince === undefined
      ? ''
      : `, ${since(host.stateSince, view)}`;
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

function runLines(run: Run, view: View): string[] {
  const started = run.startedAt === undefined ? 'some time' : clock(run.startedAt, view);
  const name = outcomeName(run);
  const head = name === '' ? paint({ text: 'goes on', tone: 'busy' }, view) : paint(tonedOutcome(run), view);
  const step = nameOf(Step, run.lastStep);
  const at = step === '' ? '' : name === '' ? `, is at ${step}` : `, last step ${step}`;
  const took =
    run.duration === undefined ? '' : `${name === '' ? ', for' : ' after'} ${wireSpan(run.duration)}`;
  const meaning = meaningOf(run.reason) || (name === '' ? '' : outcomeInWords(run.outcome));
  const words = [meaning, run.message === '' ? '' : printable(run.message)]
    .filter((part) => part !== '')
    .join(': ');
  return [
    `  ${started}  ${head}${took}${at}`,
    ...[words, confirmationWords(run, view)]
      .filter((text) => text !== '')
      .flatMap((text) => indented(text, 4, view.columns)),
  ];
}

function confirmationWords({ confirmation, confirmationAt, unsettled }: Run, view: View): string {
  const when = confirmationAt === undefined ? '' : ` ${moment(confirmationAt, view)}`;
  switch (confirmation) {
    case Confirmation.CONFIRMED:
      return `it came up with that configuration${when}`;
    case Confirmation.MISSED:
      return `it did not say in time that it came up; given up${when}`;
    case Confirmation.PENDING: {
      const doubt = unsettled ? 'its word on the restart is missing; ' : '';
      const end = confirmationAt === undefined ? '' : ` (until ${clock(confirmationAt, view)})`;
      return `${doubt}it has still to say that it came up${end}`;
    }
    default:
      return '';
  }
}

/** Ends with a full stop. */
function sentence(text: string): string {
  return /[.!?:]$/.test(text) ? text : `${text}.`;
}
