// Spans and moments between the wire and domain types, which count milliseconds. What a peer sends may be
// any value: nothing here throws on it.

import type { Duration } from '../gen/google/protobuf/duration.js';

/** The longest span of google.protobuf.Duration: about 10,000 years. */
const longestMs = 315_576_000_000_000;

/** The latest moment that a Date can hold. */
const latestMs = 8_640_000_000_000_000;

/** Converts milliseconds, which may be fractional, to a Duration. Beyond its range it is clipped; NaN is 0. */
export function toDuration(ms: number): Duration {
  const clipped = Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, -longestMs), longestMs);
  const seconds = Math.trunc(clipped / 1000);
  const nanos = Math.round((clipped - seconds * 1000) * 1e6);
  if (Math.abs(nanos) < 1e9) return { seconds: BigInt(seconds), nanos };
  return { seconds: BigInt(seconds + Math.sign(nanos)), nanos: 0 };
}

/** @returns milliseconds, which may be fractional or negative; 0 where the Duration is not set */
export function fromDuration(duration: Duration | undefined): number {
  if (duration === undefined) return 0;
  return Number(duration.seconds) * 1000 + duration.nanos / 1e6;
}

/** Converts Unix milliseconds to the Date that generated code takes. Beyond its range it is clipped. */
export function toTimestamp(ms: number): Date {
  return new Date(Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, -latestMs), latestMs));
}
