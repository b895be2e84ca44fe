// What an event says beside its type: one sentence for each.

import {
  type Event,
  type HostQueued,
  QueueCause,
  ReleaseCause,
  type RunFinished,
  type StepFailed,
} from '../../shared/gen/slipway/provisioner/v1/events.js';
import { HostState, Step } from '../../shared/gen/slipway/provisioner/v1/host.js';
import { printable } from '../../shared/printable.js';
import { count } from '../text/count.js';
import { clock, wireSpan } from '../text/moments.js';
import { nameOf } from '../text/name.js';
import type { View } from '../text/view.js';
import { outcomeName } from '../words/outcomes.js';
import { stateName } from '../words/states.js';

/** @returns empty for an event of a type that this version does not know */
export function detailsOf({ details }: Event, view: View): string {
  if (details === undefined) return '';
  const { $case } = details;
  switch ($case) {
    case 'hostQueued':
      return queued(details.value);
    case 'hostDropped': {
      const { count: dropped, examples } = details.value;
      return `${count(dropped, 'host')} did not fit into the queue${colon(examples.join(', '))}`;
    }
    case 'hostReleased': {
      const { cause, message } = details.value;
      return `${releaseWords[cause] ?? nameOf(ReleaseCause, cause)}${colon(message)}`;
    }
    case 'runStarted': {
      const { address, failuresInARow } = details.value;
      const row = failuresInARow === 0 ? '' : `, after ${count(failuresInARow, 'failure')} in a row`;
      return `at ${printable(address)}${row}`;
    }
    case 'stepCompleted': {
      const { step, tries, duration } = details.value;
      return `${nameOf(Step, step)} in ${wireSpan(duration)}${tries > 1 ? `, ${tries} tries` : ''}`;
    }
    case 'stepFailed':
      return stepFailed(details.value);
    case 'runFinished':
      return finished(details.value, view);
    case 'nodeConfirmed': {
      const { after, onItsOwnWord } = details.value;
      const when = after === undefined ? '' : ` ${wireSpan(after)} after its run`;
      return `it came up configured${when}${onItsOwnWord ? ', on its own word' : ''}`;
    }
    case 'confirmationMissed':
      return `it did not say within ${wireSpan(details.value.timeout)} that it came up`;
    case 'provisionLoop': {
      const { times, within, until } = details.value;
      const rest = until === undefined ? '' : `; left alone until ${clock(until, view)}`;
      return `it came back unprovisioned ${count(times, 'time')} within ${wireSpan(within)}${rest}`;
    }
    case 'nodeConflict': {
      const { address, newcomerAddress } = details.value;
      return `two machines speak in its name: ${printable(address)}, which stays, and ${printable(newcomerAddress)}`;
    }
    case 'paused':
    case 'resumed': {
      const { by, message } = details.value;
      return [by === '' ? '' : `by ${printable(by)}`, printable(message)]
        .filter((part) => part !== '')
        .join(': ');
    }
    case 'leaderWon':
      return 'this provisioner works now';
    case 'leaderLost':
      return `this provisioner works no more${colon(details.value.message)}`;
    case 'breakerOpened': {
      const { failures, reason, message } = details.value;
      return `no runs start: the helper failed ${count(failures, 'time')} in a row: ${printable(reason)}${colon(message)}`;
    }
    case 'breakerClosed':
      return `the helper works again, after ${wireSpan(details.value.after)}`;
  }
}

function queued({ cause, address }: HostQueued): string {
  const why = queueWords[cause] ?? nameOf(QueueCause, cause);
  return address === '' ? why : `${why}, at ${printable(address)}`;
}

function stepFailed({ step, attempt, code, reason, message, willRetry, duration }: StepFailed): string {
  const why = [code, reason].filter((part) => part !== '').map(printable);
  const took = duration === undefined ? '' : ` after ${wireSpan(duration)}`;
  const said = `${nameOf(Step, step)}, attempt ${attempt}${took}: ${[why.join(' '), printable(message)].filter((part) => part !== '').join(': ')}`;
  return willRetry ? `${said}; tried again` : said;
}

function finished(run: RunFinished, view: View): string {
  const { duration, message, nextState, nextStateUntil, failuresInARow, unsettled } = run;
  const until = nextStateUntil === undefined ? '' : ` until ${clock(nextStateUntil, view)}`;
  const next = nextState === HostState.UNSPECIFIED ? '' : `; then ${stateName(nextState)}${until}`;
  const row = failuresInARow > 1 ? `, ${count(failuresInARow, 'failure')} in a row` : '';
  const doubt = unsettled ? ', unsettled' : '';
  return `${outcomeName(run)} in ${wireSpan(duration)}${doubt}${row}${colon(message)}${next}`;
}

const queueWords: Readonly<Record<QueueCause, string>> = {
  [QueueCause.UNSPECIFIED]: 'queued',
  [QueueCause.ADMITTED]: 'sighted',
  [QueueCause.NEW_BOOT]: 'booted anew',
  [QueueCause.RETRIED]: 'its time to back off is over',
  [QueueCause.CANCELLED]: 'its run was cancelled',
  [QueueCause.OPERATOR]: 'an operator asked for it',
  [QueueCause.SUPERSEDED]: 'its run was superseded',
  [QueueCause.UNRECOGNIZED]: 'queued',
};

const releaseWords: Readonly<Record<ReleaseCause, string>> = {
  [ReleaseCause.UNSPECIFIED]: 'released',
  [ReleaseCause.HOLD_OVER]: 'its hold is over',
  [ReleaseCause.RUN_FINISHED]: 'its run is over',
  [ReleaseCause.GONE]: 'it stopped, or is not heard of any more',
  [ReleaseCause.CONFIGURED]: 'it came up configured',
  [ReleaseCause.NOT_SIGHTED]: 'it was not sighted of late',
  [ReleaseCause.QUEUE_FULL]: 'the queue is full',
  [ReleaseCause.OPERATOR]: 'an operator asked for it',
  [ReleaseCause.LEADERSHIP_LOST]: 'this provisioner works no more',
  [ReleaseCause.UNRECOGNIZED]: 'released',
};

function colon(text: string): string {
  return text === '' ? '' : `: ${printable(text)}`;
}
