// Log lines made from events: one info line per run and one when its node is confirmed, failed attempts at
// warn, the rest of a run at debug (design, section 6), what stops all runs at error.

import type { Logger } from '../../../shared/logger.js';
import type { EventSink, ProvisioningEvent } from './event.js';

type Level = 'debug' | 'info' | 'warn' | 'error';

interface Line {
  readonly level: Level;
  readonly text: string;
}

/** @returns a sink that logs every event */
export function logLines(log: Logger): EventSink {
  return {
    publish: (event) => {
      const { level, text } = lineOf(event);
      if (log.isLevelEnabled(level)) log[level](fieldsOf(event), text);
    },
  };
}

function lineOf(event: ProvisioningEvent): Line {
  switch (event.type) {
    case 'HOST_QUEUED':
      return { level: 'debug', text: 'host queued' };
    case 'HOST_DROPPED':
      return { level: 'warn', text: 'the queue is full: sighted hosts were dropped' };
    case 'HOST_RELEASED':
      return { level: 'debug', text: 'host released' };
    case 'RUN_STARTED':
      return { level: 'debug', text: 'run started' };
    case 'STEP_COMPLETED':
      return { level: 'debug', text: 'step completed' };
    case 'STEP_FAILED':
      return { level: 'warn', text: event.willRetry ? 'step failed and is tried again' : 'step failed' };
    case 'RUN_FINISHED':
      return { level: 'info', text: `run finished: ${event.outcome}` };
    case 'NODE_CONFIRMED':
      return { level: 'info', text: 'node came up with its configuration' };
    case 'CONFIRMATION_MISSED':
      return { level: 'warn', text: 'node did not say that it came up with its configuration' };
    case 'PROVISION_LOOP':
      return { level: 'warn', text: 'node keeps coming back unprovisioned' };
    case 'NODE_CONFLICT':
      return { level: 'warn', text: 'two machines speak in the name of one node' };
    case 'PAUSED':
      return { level: 'info', text: 'paused by an operator' };
    case 'RESUMED':
      return { level: 'info', text: 'resumed by an operator' };
    case 'BREAKER_OPENED':
      return { level: 'error', text: 'the helper fails for every node: no runs start until it works again' };
    case 'BREAKER_CLOSED':
      return { level: 'info', text: 'the helper works again' };
  }
}

/** The event's own fields under the names of logs; what is empty is left out, and times are rounded. */
function fieldsOf(event: ProvisioningEvent): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(event)) {
    if (key === 'type' || value === '' || value === undefined) continue;
    fields[logName(key)] = logValue(value);
  }
  return fields;
}

function logValue(value: unknown): unknown {
  if (typeof value === 'number') return Math.round(value);
  return typeof value === 'bigint' ? value.toString() : value;
}

/** `runId` is `run_id`: names in logs are spelled as in the design. */
function logName(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
