// What the log says of the watches: that one is lost, that it stands, and of an outage that lasts no more
// than a line a minute.

import type { Clock } from '../../../shared/clock.js';
import type { Logger } from '../../../shared/logger.js';
import type { WatchListener } from './watch.js';

const everyMs = 60_000;

type WatchLog = Pick<WatchListener, 'skipped' | 'synced' | 'lost'>;

/** @returns what logs; per service at most one line a minute while nothing changes */
export function watchLog(log: Logger, clock: Clock): WatchLog {
  const outages = new Map<string, { saidAt: number; attempts: number }>();
  const skips = new Map<string, { saidAt: number; count: number }>();
  return {
    lost: (discovery, why, wasSynced) => {
      const now = clock.monotonic();
      const outage = outages.get(discovery) ?? { saidAt: Number.NEGATIVE_INFINITY, attempts: 0 };
      outage.attempts += 1;
      outages.set(discovery, outage);
      if (now - outage.saidAt < everyMs) return;
      outage.saidAt = now;
      const text = wasSynced
        ? 'lost a discovery service; trying again'
        : 'cannot watch a discovery service; trying again';
      log.warn({ discovery, why, attempts: outage.attempts }, text);
    },
    synced: (discovery, intervalMs) => {
      outages.delete(discovery);
      log.info({ discovery, interval_ms: intervalMs }, 'watching a discovery service');
    },
    skipped: (discovery, why) => {
      const now = clock.monotonic();
      const skip = skips.get(discovery) ?? { saidAt: Number.NEGATIVE_INFINITY, count: 0 };
      skip.count += 1;
      skips.set(discovery, skip);
      if (now - skip.saidAt < everyMs) return;
      skip.saidAt = now;
      log.warn({ discovery, why, skipped: skip.count }, 'an event of a discovery service was passed over');
    },
  };
}
