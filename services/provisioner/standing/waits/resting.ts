// What a host waits for that is held, backs off or was released: the time that its last run has left it to, or its next
// sighting, and what stands in the way besides.

import type { LeftHost, RunRecord } from '../past.js';
import { deferredByHelper, lastWords } from './last-words.js';
import {
  breakerWait,
  confirmationWait,
  pauseWait,
  seeThatItReports,
  sightingWait,
  staleWait,
  standstill,
} from './obstacles.js';
import type { Circumstances, Subject, Wait } from './wait.js';
import { count, say, span, todo } from './words.js';

export function heldWaits(subject: Subject, until: number, circumstances: Circumstances): Wait[] {
  const run = lastEnded(subject);
  const { said, help } = heldBecause(run);
  const message = say(said, whenHoldIsOver(run), todo(help));
  // What was dealt with wants nothing more of the provisioner.
  const stopped =
    run?.outcome === 'PROVISIONED' || run?.outcome === 'SHUT_DOWN' ? [] : standstill(circumstances);
  return [{ cause: 'HOLD', until, message }, ...confirmationWait(subject), ...stopped];
}

function heldBecause(run: RunRecord | undefined): ReturnType<typeof lastWords> {
  // Only another provisioner has a host held after its run was superseded.
  if (run?.outcome !== 'SUPERSEDED') return lastWords(run);
  return {
    said: `Another provisioner of the site works on it: ${run.message}`,
    help: 'Run one provisioner of the site only',
  };
}

function whenHoldIsOver(run: RunRecord | undefined): string {
  return run?.outcome === 'PROVISIONED' || run?.outcome === 'SHUT_DOWN'
    ? 'It stays known for a while, so that late sightings of it are not taken for new ones; a new boot in provisioning ' +
        'mode is queued at once'
    : 'After that it is released, and its next sighting admits it';
}

export function backingOffWaits(subject: Subject, until: number, circumstances: Circumstances): Wait[] {
  const run = lastEnded(subject);
  const isDeferred = subject.past.loop === undefined && run?.outcome === 'DEFERRED';
  const first: Wait = {
    cause: isDeferred ? 'DEFERRED' : 'BACKOFF',
    until,
    message: whyBackingOff(subject, run),
  };
  const sighting = staleWait(subject, circumstances, 'is released where it is not sighted before its time');
  return [
    first,
    ...confirmationWait(subject),
    ...(sighting.length > 0 ? sighting : unseen(circumstances)),
    ...standstill(circumstances),
  ];
}

/** How old a sighting may be is not judged while there can be none. */
function unseen(circumstances: Circumstances): Wait[] {
  if (circumstances.discoveryMissing === undefined) return [];
  return [sightingWait(circumstances, 'When its time has come it is run all the same')];
}

function whyBackingOff({ past: { loop }, failuresInRow }: Subject, run: RunRecord | undefined): string {
  const { said, help } = lastWords(run);
  const then = 'When the time is over it is queued, where it was sighted of late; else released';
  if (loop !== undefined) {
    const often = `${count(loop.times, 'time', 'times')} within ${span(loop.withinMs)}`;
    const what = `It came back in provisioning mode ${often} after it was provisioned, or said that it would: it is looping`;
    const loopHelp =
      'See what its configuration makes of plugin.choria.server.provision, and look at the node’s log and disk';
    return say(what, said, then, todo(loopHelp));
  }
  const isRow = failuresInRow > 1 && run !== undefined && !deferredOnly(run);
  return say(isRow ? `${failuresInRow} runs in a row have failed` : '', said, then, todo(help));
}

function deferredOnly(run: RunRecord): boolean {
  return run.outcome === 'DEFERRED' && deferredByHelper(run);
}

export function releasedWaits(subject: Subject, circumstances: Circumstances): Wait[] {
  const run = lastEnded(subject);
  const { left } = subject.past;
  const isOfRun = left?.cause === 'HOLD_OVER' || left?.cause === 'RUN_FINISHED';
  const isLast = isOfRun || (isEarlier(left) && !wasSightedAfter(run, subject));
  if (left?.cause === 'CONFIGURED' || (isLast && run?.confirmation === 'CONFIRMED')) return [];
  const confirmation = confirmationWait(subject);
  if (isOfRun && run?.outcome === 'PROVISIONED' && confirmation.length > 0) return confirmation;
  const sighting = sightingWait(circumstances, whyReleased(subject, run, circumstances));
  return [...pauseWait(circumstances), sighting, ...breakerWait(circumstances), ...confirmation];
}

/** Whether the provisioner ended while it was known. */
function isEarlier(left: LeftHost | undefined): boolean {
  return left !== undefined && left.cause === undefined;
}

function wasSightedAfter(run: RunRecord | undefined, { past, lastSightedAt = 0 }: Subject): boolean {
  return run !== past.runs[0] || lastSightedAt > (run?.confirmationAt ?? 0);
}

/** Why the fleet knows it no more, and what will have it back. */
function whyReleased(subject: Subject, run: RunRecord | undefined, circumstances: Circumstances): string {
  const { queueLimit, intervalMs } = circumstances;
  const { said, help } = lastWords(run);
  const next = `Its next sighting admits it; live nodes are sighted once in ${span(intervalMs)}`;
  const heard = hearing(subject, circumstances);
  // One that was to stop is not expected to report.
  const hearingHelp = run?.outcome === 'SHUT_DOWN' ? undefined : heard.help;
  const helps = todo([hearingHelp, help].filter((text) => text !== undefined).join('. '));
  if (isEarlier(subject.past.left)) return say(whileItWasKnown(subject), said, next, heard.said, helps);
  switch (subject.past.left?.cause) {
    case 'GONE': {
      const gone = 'The node said that it stops, or was not heard of for as long as its lease';
      return say(gone, said, next, heard.said, helps);
    }
    case 'NOT_SIGHTED':
      return say('It was to be tried again, and had not been sighted of late', said, next, heard.said, helps);
    case 'QUEUE_FULL': {
      const full = `It was to be queued again, and the queue is full (queue_limit ${queueLimit})`;
      const room = 'A later sighting admits it when there is room';
      return say(full, room, todo(roomForMore));
    }
    case 'OPERATOR':
      return say('An operator released it', said, next, heard.said, helps);
    default:
      return say(said, next, heard.said, helps);
  }
}

function whileItWasKnown({ past: { runs } }: Subject): string {
  const [newest] = runs;
  const during = newest?.earlier && newest.outcome === undefined ? ' during its last run' : '';
  return `It has not been sighted since the provisioner was restarted${during}`;
}

/** When it was last sighted; where that is longer ago than live nodes are, something is to be done about it. */
function hearing(
  { lastSightedAt }: Subject,
  { now, intervalMs, discoveryMissing, queueIsFull, queueLimit }: Circumstances,
): { readonly said: string; readonly help: string | undefined } {
  if (lastSightedAt === undefined) return { said: '', help: undefined };
  const ago = now - lastSightedAt;
  const sighted = `It was last sighted ${span(ago)} ago`;
  if (queueIsFull) {
    // What is dropped leaves no trace: whether this one is among it nobody knows.
    const full = `The queue is full (queue_limit ${queueLimit}), and what is sighted besides is dropped until there is room`;
    return { said: say(sighted, full), help: roomForMore };
  }
  const isLong = ago > 2 * intervalMs && discoveryMissing === undefined;
  return { said: sighted, help: isLong ? seeThatItReports : undefined };
}

const roomForMore = 'Raise queue_limit or workers where that is too late';

function lastEnded({ past }: Subject): RunRecord | undefined {
  return past.runs.find(({ outcome }) => outcome !== undefined);
}
