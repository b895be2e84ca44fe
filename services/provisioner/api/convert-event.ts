// Events as they are told to other services: the log keeps them in this form, so that nobody makes it twice.

import { BinaryWriter } from '@bufbuild/protobuf/wire';
import {
  Event,
  EventType,
  QueueCause,
  ReleaseCause,
} from '../../../shared/gen/slipway/provisioner/v1/events.js';
import { HostState, Outcome, Step } from '../../../shared/gen/slipway/provisioner/v1/host.js';
import { toDuration, toTimestamp } from '../../../shared/wire/time.js';
import type { ProvisioningEvent } from '../events/event.js';
import type { EncodeEvent } from '../events/log/event-log.js';

/** Who tells events. */
export interface Teller {
  readonly site: string;
  /** This provisioner's instance id. */
  readonly provisioner: string;
}

type Details = NonNullable<Event['details']>;

/** The most of a text that is told, in bytes. */
const mostTextBytes = 4096;

/** @returns what makes serialised slipway.provisioner.v1.Event */
export function eventEncoder({ site, provisioner }: Teller): EncodeEvent {
  // Writes one event after the other into the memory that it has: a new one would grow its own each time.
  let writer = new BinaryWriter();
  return (event, { sequence, id, at }) => {
    const told = {
      sequence: BigInt(sequence),
      id,
      time: toTimestamp(at),
      site,
      provisioner,
      identity: 'identity' in event ? event.identity : '',
      runId: 'runId' in event ? event.runId : '',
      type: EventType[event.type],
      details: detailsOf(event, at),
    };
    try {
      return Event.encode(told, writer).finish();
    } catch (error) {
      // It may hold half of an event.
      writer = new BinaryWriter();
      throw error;
    }
  };
}

function detailsOf(event: ProvisioningEvent, at: number): Details {
  switch (event.type) {
    case 'HOST_QUEUED': {
      const { address, bootId } = event;
      return { $case: 'hostQueued', value: { cause: QueueCause[event.cause], address, bootId } };
    }
    case 'HOST_DROPPED': {
      const { count, examples } = event;
      return { $case: 'hostDropped', value: { count: BigInt(count), examples: [...examples] } };
    }
    case 'HOST_RELEASED': {
      const value = { cause: ReleaseCause[event.cause], message: cut(event.message) };
      return { $case: 'hostReleased', value };
    }
    case 'RUN_STARTED': {
      const { fence, bootId, address, failuresInRow: failuresInARow } = event;
      return { $case: 'runStarted', value: { fence, bootId, address, failuresInARow } };
    }
    case 'STEP_COMPLETED': {
      const { tries, durationMs } = event;
      const value = { step: Step[event.step], tries, duration: toDuration(durationMs) };
      return { $case: 'stepCompleted', value };
    }
    case 'STEP_FAILED':
      return { $case: 'stepFailed', value: stepFailed(event) };
    case 'RUN_FINISHED':
      return { $case: 'runFinished', value: runFinished(event, at) };
    case 'NODE_CONFIRMED': {
      const { onItsOwnWord, afterMs } = event;
      const configurationDigest = Buffer.from(event.configurationDigest, 'hex');
      const after = afterMs === undefined ? undefined : toDuration(afterMs);
      return { $case: 'nodeConfirmed', value: { configurationDigest, onItsOwnWord, after } };
    }
    case 'CONFIRMATION_MISSED':
      return { $case: 'confirmationMissed', value: { timeout: toDuration(event.timeoutMs) } };
    case 'PROVISION_LOOP': {
      const { times, withinMs, backoffMs } = event;
      const value = { times, within: toDuration(withinMs), until: toTimestamp(at + backoffMs) };
      return { $case: 'provisionLoop', value };
    }
    case 'NODE_CONFLICT': {
      const { address, bootId, newcomerAddress, newcomerBootId = '' } = event;
      return { $case: 'nodeConflict', value: { address, bootId, newcomerAddress, newcomerBootId } };
    }
    case 'PAUSED':
      return { $case: 'paused', value: { by: cut(event.by), message: cut(event.message) } };
    case 'RESUMED':
      return { $case: 'resumed', value: { by: cut(event.by), message: cut(event.message) } };
    case 'BREAKER_OPENED': {
      const { failures, reason, message } = event;
      return { $case: 'breakerOpened', value: { failures, reason, message: cut(message) } };
    }
    case 'BREAKER_CLOSED':
      return { $case: 'breakerClosed', value: { after: toDuration(event.afterMs) } };
  }
}

function stepFailed(event: Extract<ProvisioningEvent, { type: 'STEP_FAILED' }>) {
  const { step, attempt, code, reason, message, willRetry, durationMs } = event;
  const duration = toDuration(durationMs);
  return { step: Step[step], attempt, code, reason: cut(reason), message: cut(message), willRetry, duration };
}

function runFinished(event: Extract<ProvisioningEvent, { type: 'RUN_FINISHED' }>, at: number) {
  const { outcome, reason, message, durationMs, nextState, nextStateMs, unsettled, failuresInRow } = event;
  return {
    outcome: Outcome[outcome],
    reason,
    message: cut(message),
    duration: toDuration(durationMs),
    nextState: HostState[nextState],
    nextStateUntil: nextStateMs === undefined ? undefined : toTimestamp(at + nextStateMs),
    unsettled,
    failuresInARow: failuresInRow,
  };
}

/** What nodes and helpers say has no bound of its own; what is kept of it has. */
function cut(text: string): string {
  if (text.length * 3 <= mostTextBytes) return text;
  const bytes = Buffer.from(text);
  if (bytes.length <= mostTextBytes) return text;
  let end = mostTextBytes - Buffer.byteLength('…');
  // Not within a character.
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return `${bytes.toString('utf8', 0, end)}…`;
}
