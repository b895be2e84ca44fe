// How many reports one source may send in a second, and what a source is.

import type { Clock } from '../../../shared/clock.js';
import { isIpv6, parseIp } from '../../../shared/net/addresses.js';

const windowMs = 1000;

/** The longest that a source is told to wait: windows. */
const longestWait = 60;

export class SourceRates {
  readonly #clock: Clock;
  readonly #limit: number;
  #counts = new Map<string, number>();
  #windowEnds: number;

  /** @param limit reports per second; 0: no limit */
  constructor(clock: Clock, limit: number) {
    this.#clock = clock;
    this.#limit = limit;
    this.#windowEnds = clock.monotonic() + windowMs;
  }

  /**
   * Counts a report of a source.
   *
   * @returns undefined where it is within the rate; else the milliseconds after which it may come again
   */
  admit(origin: string): number | undefined {
    if (this.#limit === 0) return undefined;
    const now = this.#clock.monotonic();
    if (now >= this.#windowEnds) {
      this.#counts = new Map();
      this.#windowEnds = now + windowMs;
    }
    const count = (this.#counts.get(origin) ?? 0) + 1;
    this.#counts.set(origin, count);
    return count <= this.#limit
      ? undefined
      : windowMs * Math.min(Math.ceil(count / this.#limit), longestWait);
  }
}

/** Whom a peer is counted to: its IP address, or the /64 network of an IPv6 address, which one machine fills. */
export function originOf(ip: string): string {
  if (!isIpv6(ip)) return ip;
  const groups = parseIp(ip)?.toNormalizedString().split(':') ?? [];
  return `${groups.slice(0, 4).join(':')}::/64`;
}
