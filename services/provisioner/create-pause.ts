// Puts together the operator's pause: where it is kept, and what it stops.

import type { Clock } from '../../shared/clock.js';
import type { ProvisionerConfig } from './config.js';
import type { EventSink } from './events/event.js';
import type { Fleet } from './fleet/fleet.js';
import { OperatorPause } from './fleet/pause.js';
import { PauseFile } from './fleet/pause-file.js';
import type { Sightings } from './sightings/sightings.js';

export interface PauseParts {
  readonly fleet: Fleet;
  readonly sightings: () => Sightings;
  readonly events: EventSink;
  readonly clock: Clock;
}

export function createPause(config: ProvisionerConfig, parts: PauseParts): OperatorPause {
  const { fleet, sightings, events, clock } = parts;
  return new OperatorPause({
    store: new PauseFile(config.data_dir),
    clock,
    sink: events,
    paused: () => fleet.pause(),
    resumed: () => {
      fleet.resume();
      // Nodes that were not admitted in the meantime come at once, not with the next cycle.
      void sightings().discover();
    },
  });
}
