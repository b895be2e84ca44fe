// What the log says of the watches: that one is lost, that it stands, and of an outage that lasts no more
// than a line a minute.

import type { Clock } from '../../../shared/clock.js';
import type { Logger } from '../../../shared/logger.js';
import type { WatchListener } from './watch.js';

const everyMs = 60_000;

type WatchLog = Pick<WatchListener, 'skipped' | 'synced' | 'lost'>;

/** @returns what logs; per service at most one line a minute while nothing changes */
export function watchLog(log: Logger, clock: Clock): WatchLog {
  const failures = new Occurrences(clock);
  const skips = new Occurrences(clock);
  return {
    lost: (discovery, why, wasSynced) => {
      const attempts = failures.add(discovery);
      if (attempts === undefined) return;
      const text = wasSynced
        ? 'lost a discovery service; trying again'
        : 'cannot watch a discovery service; trying again';
      log.warn({ discovery, why, attempts }, text);
    },
    synced: (discovery, intervalMs) => {
      failures.forget(discovery);
      log.info({ discovery, interval_ms: intervalMs }, 'watching a discovery service');
    },
    skipped: (discovery, why) => {
      const skipped = skips.add(discovery);
      if (skipped === undefined) return;
      log.warn({ discovery, why, skipped }, 'an event of a discovery service was passed over');
    },
  };
}

/** Counts what happens with each service, and says when there is time for a line about it. */
class Occurrences {
  readonly #clock: Clock;
  readonly #services = new Map<string, { saidAt: number; count: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @returns how often it has happened; undefined where that was said within the last minute */
  add(discovery: string): number | undefined {
    const now = this.#clock.monotonic();
    const seen = this.#services.get(discovery) ?? { saidAt: Number.NEGATIVE_INFINITY, count: 0 };
    this.#services.set(discovery, seen);
    seen.count += 1;
    if (now - seen.saidAt < everyMs) return undefined;
    seen.saidAt = now;
    return seen.count;
  }

  forget(discovery: string): void {
    this.#services.delete(discovery);
  }
}
