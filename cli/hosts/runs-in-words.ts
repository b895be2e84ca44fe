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
import { outcomeInWords, tonedEnd } from '../words/outcomes.js';
import { meaningOf } from '../words/reasons.js';

/** As many as leave room for the rest. */
const mostRuns = 5;

export function runsInWords({ host, runs, provisionerStartedAt }: GetHostResponse, view: View): string[] {
  if (runs.length === 0) return ['No run of it is known.'];
  const shown = runs.slice(0, mostRuns);
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
  return runs.length === 0 ? [] : [title, ...runs.flatMap((run) => runLines(run, view))];
}

function runLines(run: Run, view: View): string[] {
  const started = run.startedAt === undefined ? 'some time' : clock(run.startedAt, view);
  const words = [meaningOf(run.reason) || meaningOfEnd(run), printable(run.message)]
    .filter((part) => part !== '')
    .join(': ');
  return [
    `  ${started}  ${paint(tonedEnd(run), view)}${courseOf(run)}`,
    ...[words, confirmationWords(run, view)]
      .filter((text) => text !== '')
      .flatMap((text) => indented(text, 4, view.columns)),
  ];
}

/** How long it took, and how far it came. */
function courseOf(run: Run): string {
  const goesOn = run.outcome === Outcome.UNSPECIFIED && !run.earlier;
  const took = run.duration === undefined ? '' : ` ${goesOn ? 'for' : 'after'} ${wireSpan(run.duration)}`;
  const step = nameOf(Step, run.lastStep);
  return step === '' ? took : `${took}, ${goesOn ? 'at' : 'last step'} ${step}`;
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
