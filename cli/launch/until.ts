// Waiting for a state that can only be looked at, with a bound.

import { setTimeout as wait } from 'node:timers/promises';

export interface UntilOptions {
  /** What is waited for, for the message. */
  readonly what: string;
  readonly timeoutMs: number;
  /** Pause between looks, milliseconds; 50 by default. */
  readonly everyMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Looks until `look` gives something other than undefined or false.
 *
 * @throws Error naming what did not come about within the time; what `look` throws; AbortError once the signal
 * is aborted
 */
export async function until<T>(
  look: () => Promise<T | undefined | false> | T | undefined | false,
  options: UntilOptions,
): Promise<T> {
  const deadline = performance.now() + options.timeoutMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > deadline) {
      throw new Error(`${options.what}: not within ${options.timeoutMs} ms`);
    }
    await wait(options.everyMs ?? 50, undefined, { signal: options.signal });
  }
}
