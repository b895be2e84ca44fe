// The past of a node out of its events, as it would be remembered had one provisioner seen them all.

import { type Event, QueueCause, ReleaseCause } from '../../../shared/gen/slipway/provisioner/v1/events.js';
import { Outcome, Step } from '../../../shared/gen/slipway/provisioner/v1/host.js';
import type { BootId, Identity, RunId } from '../../../shared/identity.js';
import { fromDuration } from '../../../shared/wire/time.js';
import { type LeftHost, mostRuns, type Past, type RunRecord } from '../standing/past.js';

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * @param events oldest first; the oldest may be missing
 * @param instance id of the provisioner that asks: runs of others are earlier ones
 * @returns undefined where they tell nothing of runs or of how its record ended
 */
export function pastFrom(identity: Identity, events: readonly Event[], instance: string): Past | undefined {
  const runs = new Map<string, Writable<RunRecord>>();
  let left: LeftHost | undefined;
  for (const event of events) {
    if (event.details?.$case === 'runStarted') runs.set(event.runId, begun(event, instance));
    const run = runs.get(event.runId);
    if (run !== undefined) go(run, event);
    left = leftAfter(event, left);
  }
  if (left === undefined && runs.size === 0) return undefined;
  const newest = [...runs.values()].reverse().slice(0, mostRuns);
  return { identity, runs: newest, left, loop: undefined, conflict: undefined };
}

function begun(event: Event, instance: string): RunRecord {
  const { fence = 0n, bootId = '' } = event.details?.$case === 'runStarted' ? event.details.value : {};
  return {
    // What is in the log was checked when it was written.
    runId: event.runId as RunId,
    fence,
    bootId: bootId as BootId,
    startedAt: momentOf(event) ?? 0,
    durationMs: undefined,
    outcome: undefined,
    reason: '',
    message: '',
    lastStep: undefined,
    unsettled: false,
    confirmation: undefined,
    confirmationAt: undefined,
    ...(event.provisioner !== instance && { earlier: true }),
  };
}

/** Has the run come as far as the event tells. */
function go(run: Writable<RunRecord>, event: Event): void {
  const { details } = event;
  switch (details?.$case) {
    case 'stepCompleted':
    case 'stepFailed':
      run.lastStep = nameOf(Step, details.value.step);
      return;
    case 'runFinished': {
      const { outcome, reason, message, duration, unsettled } = details.value;
      run.outcome = nameOf(Outcome, outcome);
      run.durationMs = duration && fromDuration(duration);
      Object.assign(run, { reason, message, unsettled });
      return;
    }
    case 'nodeConfirmed':
    case 'confirmationMissed':
      run.confirmation = details.$case === 'nodeConfirmed' ? 'CONFIRMED' : 'MISSED';
      run.confirmationAt = momentOf(event);
      return;
    default:
  }
}

/** The host as it is known after the event; it has left, unless it is told of again. */
function leftAfter(event: Event, left: LeftHost | undefined): LeftHost | undefined {
  const { details } = event;
  const known = { ...(left ?? unknown), cause: undefined, at: undefined };
  switch (details?.$case) {
    case 'hostQueued': {
      const { cause, address, bootId } = details.value;
      const isNew = cause === QueueCause.ADMITTED;
      const isSighted = isNew || cause === QueueCause.NEW_BOOT;
      return {
        ...known,
        address,
        bootId: bootId as BootId,
        ...(isNew && { admittedAt: momentOf(event) }),
        ...(isSighted && { lastSightedAt: momentOf(event) }),
      };
    }
    case 'runStarted': {
      const { address, bootId } = details.value;
      return { ...known, address, bootId: bootId as BootId };
    }
    case 'hostReleased': {
      const cause = nameOf(ReleaseCause, details.value.cause) as LeftHost['cause'];
      return { ...(left ?? unknown), cause, at: momentOf(event) };
    }
    default:
      return left;
  }
}

const unknown: LeftHost = {
  cause: undefined,
  at: undefined,
  address: '',
  bootId: undefined,
  version: '',
  certificateSha256: '',
  discovery: '',
  admittedAt: undefined,
  lastSightedAt: undefined,
};

function momentOf({ time }: Event): number | undefined {
  return time?.getTime();
}

type Name<Enum> = Exclude<keyof Enum, 'UNSPECIFIED' | 'UNRECOGNIZED'>;

/** @returns undefined for what is not set, or was written by a later version */
function nameOf<Enum extends Readonly<Record<string, number>>>(
  names: Enum,
  value: number,
): Name<Enum> | undefined {
  const [name] = Object.entries(names).find(([, number]) => number === value) ?? [];
  return name === 'UNSPECIFIED' || name === 'UNRECOGNIZED' ? undefined : (name as Name<Enum> | undefined);
}
