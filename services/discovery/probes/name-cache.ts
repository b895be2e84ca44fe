// Addresses of names, kept for a moment: thousands of reports and probes ask for the same ones, and a resolver
// that does not answer must hold nobody up for long.

import { type Clock, sleep } from '../../../shared/clock.js';
import type { Lookup } from '../../../shared/net/dial-policy.js';

/** Milliseconds. */
const keptMs = 15_000;
const timeoutMs = 2000;

/** Names that are kept; the oldest make room. */
const mostNames = 10_000;

/** Names that are asked for at once: the system asks for a few at a time, and the others wait in memory. */
const mostAsked = 1000;

/**
 * Makes a lookup that remembers, also what failed, and that fails where the answer takes too long or too many
 * names wait for theirs.
 */
export function cachedLookup(lookup: Lookup, clock: Clock): Lookup {
  let asked = 0;
  const ask = async (host: string) => {
    asked++;
    try {
      return await lookup(host);
    } finally {
      asked--;
    }
  };
  const cache = new Map<string, { readonly until: number; readonly found: Promise<readonly string[]> }>();
  return (host) => {
    const now = clock.monotonic();
    const known = cache.get(host);
    if (known !== undefined && known.until > now) return known.found;
    if (asked >= mostAsked) return Promise.reject(new Error('the resolver is behind'));
    cache.delete(host);
    const found = within(ask(host), clock);
    cache.set(host, { until: now + keptMs, found });
    const oldest = cache.size > mostNames ? cache.keys().next().value : undefined;
    if (oldest !== undefined) cache.delete(oldest);
    return found;
  };
}

async function within(found: Promise<readonly string[]>, clock: Clock): Promise<readonly string[]> {
  const done = new AbortController();
  const late = sleep(clock, timeoutMs, done.signal).then(() => {
    throw new Error(`no answer within ${timeoutMs} ms`);
  });
  try {
    return await Promise.race([found, late]);
  } finally {
    done.abort();
    late.catch(() => {});
  }
}
