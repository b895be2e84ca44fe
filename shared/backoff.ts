// How long to wait before the next try. Who retries what is decided by the callers.

import type { Random } from './random.js';

export interface BackoffOptions {
  /** The wait after the first failure, before jitter; milliseconds. */
  readonly initialMs: number;
  /** No wait is longer than this, jitter included; milliseconds. */
  readonly maxMs: number;
  /** What each further failure multiplies the wait by. Default 2. */
  readonly factor?: number;
  /** The wait is multiplied by a number drawn from this range. Default [0.5, 1.5]. */
  readonly jitter?: readonly [number, number];
}

/**
 * The wait before the next try, in milliseconds: grows with each failure, spread by jitter, at most `maxMs`.
 * Where jitter would pass `maxMs` its range is narrowed rather than clipped, so that many callers who are
 * all at the limit do not come back in the same moment.
 *
 * @param attempt how many tries have failed so far: 1 after the first failure
 */
export function backoffMs(attempt: number, options: BackoffOptions, random: Random): number {
  const { initialMs, maxMs, factor = 2, jitter = [0.5, 1.5] } = options;
  if (initialMs <= 0 || maxMs <= 0) return 0;
  const wait = Math.min(initialMs * factor ** (Math.max(attempt, 1) - 1), maxMs);
  const roof = maxMs / wait;
  const low = Math.min(jitter[0], roof);
  const high = Math.min(jitter[1], roof);
  return wait * (low + (high - low) * random());
}
