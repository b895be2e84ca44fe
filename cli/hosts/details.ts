// All that is known of one host: its record, what it waits for, and its runs.

import { HostState, Step } from '../../shared/gen/slipway/provisioner/v1/host.js';
import {
  Confirmation,
  type GetHostResponse,
  Host,
  type Run,
} from '../../shared/gen/slipway/provisioner/v1/provisioner.js';
import { printable } from '../../shared/printable.js';
import { count } from '../text/count.js';
import { facts } from '../text/facts.js';
import { clock, moment, since, wireSpan } from '../text/moments.js';
import { nameOf } from '../text/name.js';
import { paint, type Toned, textOf } from '../text/paint.js';
import { inOneLine } from '../text/said.js';
import { type Column, table } from '../text/table.js';
import type { View } from '../text/view.js';
import { messageInWords, outcomeName, tonedEnd } from '../words/outcomes.js';
import { tonedState } from '../words/states.js';
import { whereIn } from './rows.js';
import { causeInWords } from './waits.js';

export function hostDetails(response: GetHostResponse, view: View): string[] {
  const { host, waits, runs, provisionerStartedAt } = response;
  const shown = host ?? Host.create();
  return [
    paint({ text: printable(shown.identity), tone: 'title' }, view),
    ...facts(
      [
        ['state', stateLine(shown, view)],
        ['until', moment(shown.stateUntil, view)],
        [
          'waits for',
          waits.map(({ cause, until }) =>
            [causeInWords(cause), moment(until, view)].filter(Boolean).join(', '),
          ),
        ],
        ['address', printable(shown.address)],
        ['boot', printable(shown.bootId)],
        ['version', printable(shown.version)],
        ['certificate', Buffer.from(shown.certificateSha256).toString('hex')],
        ['discovery', printable(shown.discovery)],
        ['admitted', moment(shown.admittedAt, view)],
        ['sighted', moment(shown.lastSightedAt, view)],
        ['run', printable(shown.runId)],
        ['failed', shown.failuresInARow === 0 ? '' : `${count(shown.failuresInARow, 'run')} in a row`],
        ['last run', outcomeName({ outcome: shown.lastOutcome, reason: shown.lastReason })],
        ['', inOneLine(shown.lastMessage)],
        ['restarted', runs.some(({ earlier }) => earlier) ? restartLine(provisionerStartedAt, view) : ''],
      ],
      view,
    ),
    ...(runs.length === 0 ? [] : ['', ...runTable(runs, view)]),
  ];
}

function restartLine(startedAt: Date | undefined, view: View): string {
  return `the provisioner, ${moment(startedAt, view)}; what started before is told by the event log`;
}

function stateLine(host: Host, view: View): Toned {
  const state = tonedState(host.state, whereIn(host));
  const time = host.state === HostState.RELEASED ? '' : since(host.stateSince, view);
  return {
    text: [textOf(state), time].filter(Boolean).join(', '),
    tone: typeof state === 'string' ? undefined : state.tone,
  };
}

const columns: readonly Column[] = [
  { title: 'STARTED', whole: true },
  { title: 'TOOK', right: true },
  { title: 'OUTCOME', whole: true },
  { title: 'LAST STEP' },
  { title: 'CONFIRMED' },
  { title: 'RUN', spare: true },
  { title: 'MESSAGE', spare: true },
];

function runTable(runs: readonly Run[], view: View): string[] {
  const rows = runs.map((run): Toned[] => [
    run.startedAt === undefined ? '' : clock(run.startedAt, view),
    wireSpan(run.duration),
    tonedEnd(run),
    nameOf(Step, run.lastStep),
    confirmationWord(run),
    printable(run.runId),
    { text: messageInWords(run), tone: 'quiet' },
  ]);
  return table(columns, rows, view);
}

function confirmationWord({ confirmation, unsettled }: Run): string {
  const word = nameOf(Confirmation, confirmation).toLowerCase();
  return unsettled && word !== '' ? `${word}, unsettled` : word;
}
