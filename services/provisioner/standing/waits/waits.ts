// Why a host is where it is, and what would have it move on: for each state what it waits for, until when, and what
// people can do about it. Pure: everything that counts is in the arguments.

import { staleWait, standstill } from './obstacles.js';
import { backingOffWaits, heldWaits, releasedWaits } from './resting.js';
import { runWaits } from './running.js';
import type { Circumstances, Subject, Wait } from './wait.js';
import { at, count, say, todo } from './words.js';

/**
 * @returns what decides first; others follow where they would make it wait as well. Empty where it waits for nothing
 */
export function waitsOf(subject: Subject, circumstances: Circumstances): Wait[] {
  return withConflict(waitsIn(subject, circumstances), subject);
}

function waitsIn(subject: Subject, circumstances: Circumstances): Wait[] {
  const { standing } = subject;
  switch (standing.state) {
    case 'QUEUED':
      return [
        ...standstill(circumstances),
        turnWait(standing.place, circumstances),
        ...staleWait(subject, circumstances, passedOver),
      ];
    case 'RUNNING':
      return runWaits(standing.progress, circumstances);
    case 'HELD':
      return heldWaits(subject, standing.until, circumstances);
    case 'BACKING_OFF':
      return backingOffWaits(subject, standing.until, circumstances);
    case 'RELEASED':
      return releasedWaits(subject, circumstances);
  }
}

function turnWait(place: number, circumstances: Circumstances): Wait {
  const { workers, runsPerSecond, now } = circumstances;
  const before = place - 1;
  const isFull = workers.busy >= workers.total;
  const turn =
    before <= 0
      ? 'It is the next in the queue'
      : `${count(before, 'host is', 'hosts are')} before it in the queue`;
  const all = workers.total === 1 ? 'the only worker is busy' : `all ${workers.total} workers are busy`;
  const busy = isFull ? all : `${workers.busy} of ${count(workers.total, 'worker is', 'workers are')} busy`;
  // While nothing starts the pace of before says nothing.
  const isLong = runsPerSecond > 0 && before / runsPerSecond > 1 && standstill(circumstances).length === 0;
  const pace = isLong
    ? `At the pace of the last minute its turn comes at about ${at(now + (before / runsPerSecond) * 1_000)}`
    : '';
  const help = isFull && before > 0 ? 'Raise workers where that takes too long' : '';
  return { cause: 'TURN', until: undefined, message: say(`${turn}; ${busy}`, pace, todo(help)) };
}

const passedOver =
  'where it is not sighted again before its turn it is passed over and released (SKIPPED_STALE)';

/** Where two machines have one name, that is what people have to know first. */
function withConflict(waits: Wait[], { past: { conflict } }: Subject): Wait[] {
  const [first, ...others] = waits;
  if (conflict === undefined || first === undefined) return waits;
  const machines = `${conflict.address} and ${conflict.newcomerAddress}`;
  const what = `Two machines speak in its name: ${machines}, last at ${at(conflict.at)}. The first keeps it while it answers; find out which of them it is`;
  return [{ ...first, message: say(what, first.message) }, ...others];
}
