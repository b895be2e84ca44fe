// Puts together the fleet: its bounds, what it starts runs with, and whom it tells.

import type { ProvisionerConfig } from './config.js';
import type { EventSink } from './events/event.js';
import { Fleet, type FleetOptions } from './fleet/fleet.js';
import type { Dial } from './run/node.js';
import { createIncumbentCheck } from './run/probe.js';

type Shared = 'startRun' | 'breaker' | 'freshness' | 'arrived' | 'forgetting' | 'clock' | 'random';

export interface FleetParts extends Pick<FleetOptions, Shared> {
  readonly dial: Dial;
  readonly events: EventSink;
}

export function createFleet(config: ProvisionerConfig, parts: FleetParts): Fleet {
  const { dial, events, ...others } = parts;
  return new Fleet({
    ...others,
    workers: config.workers,
    queueLimit: config.queue_limit,
    holdMs: config.hold,
    backoffMaxMs: config.backoff_max,
    isStillThere: createIncumbentCheck({ dial, identifyTimeoutMs: config.identify_timeout }),
    sink: events,
  });
}
