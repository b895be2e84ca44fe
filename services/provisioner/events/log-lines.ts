// Log lines made from events: one info line per run and one when its node is confirmed, failed attempts at
// warn, the rest of a run at debug (design, section 6), what stops all runs at error.

import type { Logger } from '../../../shared/logger.js';
import type { EventSink, ProvisioningEvent } from './event.js';

type EventType = ProvisioningEvent['type'];

/** @returns a sink that logs every event of the levels that are on */
export function logLines(log: Logger): EventSink {
  const nameOf = logNames();
  return {
    publish: (event) => {
      const level = levels[event.type];
      if (log.isLevelEnabled(level)) log[level](fieldsOf(event, nameOf), textOf(event));
    },
  };
}

const levels: Readonly<Record<EventType, 'debug' | 'info' | 'warn' | 'error'>> = {
  HOST_QUEUED: 'debug',
  HOST_DROPPED: 'warn',
  HOST_RELEASED: 'debug',
  RUN_STARTED: 'debug',
  STEP_COMPLETED: 'debug',
  STEP_FAILED: 'warn',
  RUN_FINISHED: 'info',
  NODE_CONFIRMED: 'info',
  CONFIRMATION_MISSED: 'warn',
  PROVISION_LOOP: 'warn',
  NODE_CONFLICT: 'warn',
  PAUSED: 'info',
  RESUMED: 'info',
  BREAKER_OPENED: 'error',
  BREAKER_CLOSED: 'info',
};

function textOf(event: ProvisioningEvent): string {
  switch (event.type) {
    case 'HOST_QUEUED':
      return 'host queued';
    case 'HOST_DROPPED':
      return 'the queue is full: sighted hosts were dropped';
    case 'HOST_RELEASED':
      return 'host released';
    case 'RUN_STARTED':
      return 'run started';
    case 'STEP_COMPLETED':
      return 'step completed';
    case 'STEP_FAILED':
      return event.willRetry ? 'step failed and is tried again' : 'step failed';
    case 'RUN_FINISHED':
      return `run finished: ${event.outcome}`;
    case 'NODE_CONFIRMED':
      return 'node came up with its configuration';
    case 'CONFIRMATION_MISSED':
      return 'node did not say that it came up with its configuration';
    case 'PROVISION_LOOP':
      return 'node keeps coming back unprovisioned';
    case 'NODE_CONFLICT':
      return 'two machines speak in the name of one node';
    case 'PAUSED':
      return 'paused by an operator';
    case 'RESUMED':
      return 'resumed by an operator';
    case 'BREAKER_OPENED':
      return 'the helper fails for every node: no runs start until it works again';
    case 'BREAKER_CLOSED':
      return 'the helper works again';
  }
}

/** The event's own fields under the names of logs; what is empty is left out, and times are rounded. */
function fieldsOf(event: ProvisioningEvent, nameOf: (key: string) => string): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(event)) {
    if (key === 'type' || value === '' || value === undefined) continue;
    fields[nameOf(key)] = logValue(value);
  }
  return fields;
}

function logValue(value: unknown): unknown {
  if (typeof value === 'number') return Math.round(value);
  return typeof value === 'bigint' ? value.toString() : value;
}

/** `runId` is `run_id`: names in logs are spelled as in the design. Each is made once; events have few. */
function logNames(): (key: string) => string {
  const names = new Map<string, string>();
  return (key) => {
    const known = names.get(key);
    if (known !== undefined) return known;
    const name = key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    names.set(key, name);
    return name;
  };
}
