// The last runs of a host in words, newest first: those of before the provisioner was restarted apart.

import { Outcome, Step } from '../../shared/gen/slipway/provisioner/v1/host.js';
import {
  Confirmation,
  type GetHostResponse,
  type Run,
} from '../../shared/gen/slipway/provisioner/v1/provisioner.js';
import { printable } from '../../shared/printable.js';
import { count } from '../text/count.js';
import { indented } from '../text/fold.js';
import { clock, moment, wireSpan } from '../text/moments.js';
import { nameOf } from '../text/name.js';
import { paint } from '../text/paint.js';
import type { View } from '../text/view.js';
import { messageInWords, outcomeInWords, tonedEnd } from '../words/outcomes.js';
import { meaningOf } from '../words/reasons.js';

const mostRuns = 5;

/** The end of a message that was cut. */
const ellipsis = '...';

/**
 * @param room in lines: runs are left out, the oldest first, until they fit into it, but for the newest
 */
export function runsInWords(response: GetHostResponse, room: number, view: View): string[] {
  if (response.runs.length === 0) return ['No run of it is known.'];
  let most = mostRuns;
  let lines = newestRuns(response, most, view);
  while (lines.length > room && most > 1) {
    most -= 1;
    lines = newestRuns(response, most, view);
  }
  return lines;
}

function newestRuns(
  { host, runs, provisionerStartedAt }: GetHostResponse,
  most: number,
  view: View,
): string[] {
  const shown = runs.slice(0, most);
  const [own, earlier] = [shown.filter((run) => !run.earlier), shown.filter((run) => run.earlier)];
  const started = provisionerStartedAt === undefined ? '' : ` ${moment(provisionerStartedAt, view)}`;
  const more = runs.length - shown.length;
  return [
    ...section('Its runs, newest first:', own, view),
    ...section(`Its runs before the provisioner was started${started}:`, earlier, view),
    ...(more > 0
      ? [`  … and ${count(more, 'more', 'more')}: slipway host ${printable(host?.identity ?? '')}`]
      : []),
  ];
}

function section(title: string, runs: readonly Run[], view: View): string[] {
  if (runs.length === 0) return [];
  return [title, ...runs.flatMap((run, index) => runLines(run, runs[index - 1], view))];
}

/** @param newer the run above it; what would be said again is not */
function runLines(run: Run, newer: Run | undefined, view: View): string[] {
  const started = run.startedAt === undefined ? 'some time' : clock(run.startedAt, view);
  const words = endInWords(run);
  const isSame = newer?.lastStep === run.lastStep && isSaid(words, endInWords(newer));
  return [
    `  ${started}  ${paint(tonedEnd(run), view)}${timeOf(run)}${isSame ? ', as above' : placeOf(run)}`,
    ...[isSame ? '' : words, isAwaitedOf(run, newer) ? '' : confirmationWords(run, view)]
      .filter((text) => text !== '')
      .flatMap((text) => indented(text, 4, view.columns)),
  ];
}

/** Of older runs less of the message may have been kept. */
function isSaid(words: string, before: string): boolean {
  const isCut = words.endsWith(ellipsis) && before.startsWith(words.slice(0, -ellipsis.length));
  return words !== '' && (words === before || isCut);
}

function endInWords(run: Run): string {
  const meaning = meaningOf(run.reason) || meaningOfEnd(run);
  const said = messageInWords(run);
  return said === meaning ? meaning : [meaning, said].filter((part) => part !== '').join(': ');
}

/** Whether the node has to say that it came up with what a later run sent it: once is enough. */
function isAwaitedOf(run: Run, newer: Run | undefined): boolean {
  return run.confirmation === Confirmation.PENDING && newer?.confirmation === Confirmation.PENDING;
}

/** How long it took. */
function timeOf(run: Run): string {
  return run.duration === undefined ? '' : ` ${goesOn(run) ? 'for' : 'after'} ${wireSpan(run.duration)}`;
}

/** How far it came. */
function placeOf(run: Run): string {
  const step = nameOf(Step, run.lastStep);
  return step === '' ? '' : `, ${goesOn(run) ? 'at' : 'last step'} ${step}`;
}

function goesOn({ outcome, earlier }: Run): boolean {
  return outcome === Outcome.UNSPECIFIED && !earlier;
}

function meaningOfEnd({ outcome, earlier }: Run): string {
  if (outcome !== Outcome.UNSPECIFIED) return outcomeInWords(outcome);
  return earlier ? 'the provisioner ended while it went on' : '';
}

function confirmationWords(run: Run, view: View): string {
  const { confirmation, confirmationAt, unsettled, earlier, outcome } = run;
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
      return earlier && outcome === Outcome.PROVISIONED ? 'nothing was heard of whether it came up' : '';
  }
}
