// How a run ended, in words and in colour.

import { Outcome } from '../../shared/gen/slipway/provisioner/v1/host.js';
import { printable } from '../../shared/printable.js';
import { nameOf } from '../text/name.js';
import type { Tone, Toned } from '../text/paint.js';

/** `FAILED UNREACHABLE`; empty where the run has not ended. */
export function outcomeName({
  outcome,
  reason,
}: {
  readonly outcome: Outcome;
  readonly reason: string;
}): string {
  return [nameOf(Outcome, outcome), printable(reason)].filter((word) => word !== '').join(' ');
}

/** The same, in its colour. */
/** How it ended, or that it goes on, or was broken off. */
export function tonedEnd(run: {
  readonly outcome: Outcome;
  readonly reason: string;
  readonly earlier: boolean;
}): Toned {
  if (run.outcome !== Outcome.UNSPECIFIED) return tonedOutcome(run);
  return run.earlier ? { text: 'broken off', tone: 'bad' } : { text: 'goes on', tone: 'busy' };
}

export function tonedOutcome(run: { readonly outcome: Outcome; readonly reason: string }): Toned {
  return { text: outcomeName(run), tone: toneOf(run.outcome) };
}

function toneOf(outcome: Outcome): Tone | undefined {
  switch (outcome) {
    case Outcome.PROVISIONED:
      return 'good';
    case Outcome.FAILED:
    case Outcome.UPGRADE_FAILED:
      return 'bad';
    case Outcome.DEFERRED:
    case Outcome.SKIPPED_STALE:
      return 'busy';
    default:
      return undefined;
  }
}

const sentences: Readonly<Record<Outcome, string>> = {
  [Outcome.UNSPECIFIED]: 'goes on',
  [Outcome.PROVISIONED]: 'configured and restarted',
  [Outcome.UPGRADED]: 'took another release',
  [Outcome.SHUT_DOWN]: 'stopped, as the helper wished',
  [Outcome.DEFERRED]: 'to be asked again later',
  [Outcome.UPGRADE_FAILED]: 'could not be upgraded',
  [Outcome.FAILED]: 'failed',
  [Outcome.SKIPPED_STALE]: 'passed over: not sighted of late',
  [Outcome.SUPERSEDED]: 'another boot, or another provisioner, took its place',
  [Outcome.CANCELLED]: 'stopped before the node was configured',
  [Outcome.UNRECOGNIZED]: '',
};

/** What it means, for people; empty for one that this version does not know. */
export function outcomeInWords(outcome: Outcome): string {
  return sentences[outcome] ?? '';
}
