// Puts together who hears what a discovery service says, and that a watch stands or is lost.

import type { Fleet } from './fleet/fleet.js';
import type { Freshness } from './fleet/freshness.js';
import type { Arrival } from './fleet/node-event.js';
import type { Meters } from './metrics.js';
import type { WatchListener } from './sightings/watch.js';
import type { Overview } from './standing/overview.js';

export interface WatchListenerParts {
  readonly fleet: Fleet;
  readonly overview: Overview;
  readonly freshness: Freshness;
  readonly meters: Meters;
  /** Told of every node that came up configured, whatever the fleet makes of it. */
  readonly cameUp: (arrival: Arrival) => void;
  readonly readinessChanged: () => void;
  readonly log: Pick<WatchListener, 'skipped' | 'synced' | 'lost'>;
}

export function createWatchListener(parts: WatchListenerParts): WatchListener {
  const { fleet, overview, freshness, meters, cameUp, readinessChanged, log } = parts;
  return {
    event: (event) => {
      meters.sighted(event.type);
      overview.heard(event.type);
      fleet.handle(event);
      if (event.type === 'PROVISIONED') cameUp(event);
    },
    skipped: (discovery, why) => {
      meters.sighted('INVALID');
      log.skipped(discovery, why);
    },
    synced: (discovery, intervalMs) => {
      freshness.synced(discovery, intervalMs);
      log.synced(discovery, intervalMs);
      readinessChanged();
    },
    lost: (discovery, why, wasSynced) => {
      freshness.lost(discovery);
      log.lost(discovery, why, wasSynced);
      readinessChanged();
    },
  };
}
