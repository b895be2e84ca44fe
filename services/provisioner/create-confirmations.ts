// Puts together what waits for nodes to come up, and asks those that do not report.

import type { Clock } from '../../shared/clock.js';
import type { Random } from '../../shared/random.js';
import type { ProvisionerConfig } from './config.js';
import type { EventSink } from './events/event.js';
import type { EventLog } from './events/log/event-log.js';
import { PastRuns } from './events/log/past-runs.js';
import type { Freshness } from './fleet/freshness.js';
import { Confirmations, confirmTimeoutMs } from './run/confirmations.js';
import type { Dial } from './run/node.js';
import { createAskNode } from './run/probe.js';
import type { Trust } from './trust.js';

export interface ConfirmationsParts {
  readonly dial: Dial;
  readonly freshness: Freshness;
  readonly events: EventSink;
  readonly eventLog: EventLog;
  readonly clock: Clock;
  readonly random: Random;
}

export function createConfirmations(
  config: ProvisionerConfig,
  trust: Trust,
  parts: ConfirmationsParts,
): Confirmations {
  const { dial, freshness, events, eventLog, clock, random } = parts;
  return new Confirmations({
    clock,
    events,
    askNode: createAskNode({
      dial,
      tokens: trust.tokens,
      identifyTimeoutMs: config.identify_timeout,
      rpcTimeoutMs: config.rpc_timeout,
      clock,
      random,
    }),
    timeoutMs: () => config.confirm_timeout ?? confirmTimeoutMs(freshness.intervalMs),
    pastRuns: new PastRuns(eventLog),
  });
}
