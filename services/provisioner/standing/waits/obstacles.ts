// What may stand in the way of a host wherever it stands: a pause, a helper that fails for every node, no sightings, a confirmation that has not come.

import type { Circumstances, Subject, Wait } from './wait.js';
import { at, colon, count, helpOn, say, span, todo } from './words.js';

/** An operator has to end the pause; empty where there is none. */
export function pauseWait({ pause }: Circumstances): Wait[] {
  if (pause === undefined) return [];
  const by = pause.by === '' ? '' : ` by ${pause.by}`;
  const what = `The provisioner is paused since ${at(pause.since)}${by}${colon(pause.message)}`;
  const then = 'No run starts and no host is admitted until somebody resumes it';
  return [{ cause: 'PAUSED', until: undefined, message: say(what, then) }];
}

/** The helper has to work again; empty where it does. */
export function breakerWait({ breaker, now }: Circumstances): Wait[] {
  const { open, failuresInRow, reason, message } = breaker;
  if (open === undefined) return [];
  const row = `${count(failuresInRow, 'failure', 'failures')} in a row, the last ${reason}${colon(message)}`;
  const what = `The helper fails for every node since ${at(open.since)}: ${row}`;
  const then = 'No run starts but one at a time to try it, each with another node, until it works again';
  const until = open.nextProbeAt > now ? open.nextProbeAt : undefined;
  return [{ cause: 'BREAKER', until, message: say(what, then, todo(helpOn(reason))) }];
}

/** What keeps every run from starting. */
export function standstill(circumstances: Circumstances): Wait[] {
  return [...pauseWait(circumstances), ...breakerWait(circumstances)];
}

/** The next sighting, and why there may be none. */
export function sightingWait({ discoveryMissing }: Circumstances, message: string): Wait {
  const missing = discoveryMissing === undefined ? '' : `Nothing is sighted now: ${discoveryMissing}`;
  return { cause: 'SIGHTING', until: undefined, message: say(missing, message) };
}

/** What to do about a node that is not sighted any more. */
export const seeThatItReports = 'See that the node runs and reports to discovery';

/**
 * A sighting that has to come before the host's time does; empty where the last is good enough.
 *
 * @param then what becomes of the host without it
 */
export function staleWait(subject: Subject, circumstances: Circumstances, then: string): Wait[] {
  const { isStale, lastSightedAt } = subject;
  if (!isStale || lastSightedAt === undefined) return [];
  const what = `It was last sighted ${span(circumstances.now - lastSightedAt)} ago`;
  return [sightingWait(circumstances, say(`${what}, and ${then}`, todo(seeThatItReports)))];
}

/** The node has to say that it came up; empty where it needs not. */
export function confirmationWait({ pending }: Subject): Wait[] {
  if (pending === undefined) return [];
  const { run, until } = pending;
  const doubt = run.unsettled ? 'Its answer to Restart was lost, and only this will tell' : '';
  const what =
    run.outcome === 'PROVISIONED'
      ? 'The node is configured and has still to say that it came up'
      : 'The node has its configuration from a run that could not restart it, and may still restart by itself';
  const help = 'Where it is up, see that its agent reaches discovery; else look at the node’s log';
  return [{ cause: 'CONFIRMATION', until, message: say(what, doubt, todo(help)) }];
}
