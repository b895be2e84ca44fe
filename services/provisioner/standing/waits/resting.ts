// What a host waits for that is held, backs off or was released: what its last run left it to, one table of outcomes
// for all three, and what stands in the way besides.

import type { OutcomeKind } from '../../run/outcome.js';
import type { RunRecord } from '../past.js';
import type { Circumstances, Subject, Wait, WaitCause } from './wait.js';
import { at, colon, count, failureOf, say, span } from './words.js';

/** @param subject one that is HELD, BACKING_OFF or RELEASED */
export function afterRunWaits(subject: Subject, circumstances: Circumstances): Wait[] {
  const { standing, past } = subject;
  const paused = pauseWait(circumstances);
  const confirmation = confirmationWait(subject);
  if (standing.state === 'RELEASED') {
    if (waitsForNothing(subject)) return [];
    if (wasProvisioned(past.runs) && confirmation.length > 0) return confirmation;
    const message = say(whyReleased(subject, circumstances), hearing(subject, circumstances));
    return [...paused, sightingWait(circumstances, message), ...confirmation];
  }
  if (standing.state !== 'HELD' && standing.state !== 'BACKING_OFF') return [];
  const first: Wait = {
    cause: standing.state === 'HELD' ? 'HOLD' : causeOfBackingOff(subject),
    until: standing.until,
    message: standing.state === 'HELD' ? whyHeld(subject) : whyBackingOff(subject),
  };
  const sighting = standing.state === 'BACKING_OFF' ? staleWait(subject, circumstances) : [];
  // A provisioned node that is held wants nothing more of the provisioner.
  const stopped = wasProvisioned(past.runs) ? [] : paused;
  return [first, ...confirmation, ...sighting, ...stopped];
}

/** An operator has to end the pause; empty where there is none. */
export function pauseWait({ pause }: Circumstances): Wait[] {
  if (pause === undefined) return [];
  const by = pause.by === '' ? '' : ` by ${pause.by}`;
  const what = `The provisioner is paused since ${at(pause.since)}${by}${colon(pause.message)}`;
  const message = say(what, 'No run starts and no host is admitted until somebody resumes it');
  return [{ cause: 'PAUSED', until: undefined, message }];
}

/** The next sighting, and why there may be none. */
export function sightingWait({ discoveryMissing }: Circumstances, message: string): Wait {
  const missing = discoveryMissing === undefined ? '' : `Nothing is sighted now: ${discoveryMissing}`;
  return { cause: 'SIGHTING', until: undefined, message: say(missing, message) };
}

function lastEnded({ past }: Subject): RunRecord | undefined {
  return past.runs.find(({ outcome }) => outcome !== undefined);
}

function wasProvisioned(runs: readonly RunRecord[]): boolean {
  return runs.find(({ outcome }) => outcome !== undefined)?.outcome === 'PROVISIONED';
}

function waitsForNothing(subject: Subject): boolean {
  const { left } = subject.past;
  if (left?.cause === 'CONFIGURED') return true;
  return isOfRun(left?.cause) && lastEnded(subject)?.confirmation === 'CONFIRMED';
}

/** Whether the end of the record was what its last run left it to. */
function isOfRun(cause: string | undefined): boolean {
  return cause === 'HOLD_OVER' || cause === 'RUN_FINISHED';
}

function confirmationWait({ pending, standing }: Subject): Wait[] {
  if (pending === undefined || standing.state === 'RUNNING') return [];
  const { run, until } = pending;
  const doubt = run.unsettled ? 'Its answer to Restart was lost, and only this will tell' : '';
  const what =
    run.outcome === 'PROVISIONED'
      ? 'The node is configured and has still to say that it came up'
      : 'The node has its configuration from a run that could not restart it, and may still restart by itself';
  const help = 'Where it is up, see that its agent reaches discovery; else look at the node’s log';
  return [{ cause: 'CONFIRMATION', until, message: say(what, doubt, help) }];
}

/** What a held host waits out, by the outcome that it is held after. */
function whyHeld(subject: Subject): string {
  const run = lastEnded(subject);
  const then = 'After that it is released, and its next sighting admits it';
  switch (run?.outcome) {
    case 'PROVISIONED':
      return say(
        run.confirmation === 'CONFIRMED'
          ? 'It is provisioned and has come up'
          : run.confirmation === 'MISSED'
            ? missedMessage
            : 'It is provisioned',
        'It stays known for a while, so that late sightings of it are not taken for new ones; a new boot in provisioning mode is queued at once',
      );
    case 'SHUT_DOWN':
      return say(
        `The helper wanted it stopped${colon(run.message)}`,
        'It stays known for a while, so that late sightings of it are not taken for new ones; a new boot is queued at once',
      );
    case 'UPGRADE_FAILED':
      return say(failureOf(run), then);
    case 'SUPERSEDED':
      return say(
        `Another provisioner of the site works on it${colon(run.message)}`,
        'Run one provisioner only',
        then,
      );
    default:
      return then;
  }
}

function causeOfBackingOff(subject: Subject): WaitCause {
  return subject.past.loop === undefined && lastEnded(subject)?.outcome === 'DEFERRED'
    ? 'DEFERRED'
    : 'BACKOFF';
}

function whyBackingOff(subject: Subject): string {
  const { past, failuresInRow } = subject;
  const run = lastEnded(subject);
  const then = 'When the time is over it is queued, where it was sighted of late; else released';
  if (past.loop !== undefined) return say(loopMessage(subject), run && lastWords(run), then);
  if (run === undefined) return then;
  const row = failuresInRow > 1 ? `${failuresInRow} runs in a row have failed` : '';
  return say(row, lastWords(run), then);
}

function loopMessage({ past: { loop } }: Subject): string {
  if (loop === undefined) return '';
  const often = `${count(loop.times, 'time', 'times')} within ${span(loop.withinMs)}`;
  return say(
    `It came back in provisioning mode ${often} after it was provisioned, or said that it would: it is looping`,
    'Look at what its configuration makes of plugin.choria.server.provision, and at the node’s log and disk',
  );
}

const missedMessage =
  'It was configured and has not said in time that it came up. Look at the node’s log; where it is up, see that its agent reaches discovery';

/** How the last run of a host ended that is to be run again. */
function lastWords(run: RunRecord): string {
  const { outcome } = run;
  return outcome === undefined ? '' : lastWordsBy[outcome](run);
}

const lastWordsBy: Readonly<Record<OutcomeKind, (run: RunRecord) => string>> = {
  PROVISIONED: ({ confirmation }) => (confirmation === 'MISSED' ? missedMessage : 'It was provisioned'),
  UPGRADED: ({ message }) =>
    `It was upgraded ${message} and restarts; it is configured when it is back in provisioning mode`,
  SHUT_DOWN: ({ message }) =>
    `The helper wanted it stopped${colon(message)}. It is provisioned when it boots into provisioning mode again`,
  DEFERRED: (run) =>
    deferredByHelper(run)
      ? `The helper asked to be asked later${colon(run.message)}. Look at why the helper defers it`
      : `The node asked to be left${colon(run.message)}. Where that lasts, look at the agent’s log`,
  FAILED: failureOf,
  UPGRADE_FAILED: failureOf,
  SKIPPED_STALE: () =>
    'Its turn came when it had not been sighted for twice the interval. See that the node runs and reports to discovery; where the queue is slow, raise workers',
  SUPERSEDED: ({ message }) =>
    `Its last run was superseded${colon(message)}. Where that repeats, see why the node keeps booting, or who else works on it`,
  CANCELLED: ({ message }) => `Its last run was cancelled${colon(message)}; nothing is held against the node`,
};

/** The helper's answer is the end of its step; a node asks at any other. */
function deferredByHelper({ lastStep }: RunRecord): boolean {
  return lastStep === 'HELPER';
}

/** Why the fleet knows it no more, and what will have it back. */
function whyReleased(subject: Subject, { queueLimit, intervalMs }: Circumstances): string {
  const run = lastEnded(subject);
  const ended = run && lastWords(run);
  const { left } = subject.past;
  const next = `Its next sighting admits it; live nodes are sighted once in ${span(intervalMs)}`;
  switch (left?.cause) {
    case 'GONE':
      return say(
        'The node said that it stops, or was not heard of for as long as its lease',
        'See that it runs and reports to discovery',
        ended,
        next,
      );
    case 'NOT_SIGHTED':
      return say('It was to be tried again, and had not been sighted of late', ended, next);
    case 'QUEUE_FULL':
      return say(
        `It was to be queued again, and the queue is full (queue_limit ${queueLimit})`,
        'A later sighting admits it when there is room; raise queue_limit or workers where that is too late',
        ended,
      );
    case 'OPERATOR':
      return say('An operator released it', ended, next);
    default:
      return say(ended, next);
  }
}

function hearing({ lastSightedAt }: Subject, { now }: Circumstances): string {
  if (lastSightedAt === undefined) return '';
  return `It was last sighted ${span(now - lastSightedAt)} ago`;
}

function staleWait(subject: Subject, circumstances: Circumstances): Wait[] {
  const { isStale, lastSightedAt } = subject;
  const { discoveryMissing, now } = circumstances;
  if (!isStale || lastSightedAt === undefined) {
    return discoveryMissing === undefined ? [] : [sightingWait(circumstances, 'It is queued all the same')];
  }
  const what = `It was last sighted ${span(now - lastSightedAt)} ago, and is released where it is not sighted again before its time`;
  return [sightingWait(circumstances, say(what, 'See that the node runs and reports to discovery'))];
}
