// durations.json: durations in configuration.

import { z } from 'zod';
import { DurationError, parseDuration } from '../../../shared/durations.js';
import { checker, same } from '../checker.js';

const shape = z.discriminatedUnion('ok', [
  /** `ns`: nanoseconds. */
  z.object({ input: z.string(), ok: z.literal(true), ns: z.string() }),
  z.object({ input: z.string(), ok: z.literal(false) }),
]);

export const durations = checker(
  shape,
  ({ input }) => JSON.stringify(input),
  (vector) => same(vector.ok ? `${vector.ns} ns` : 'an error', read(vector.input)),
);

function read(input: string): string {
  try {
    return `${parseDuration(input)} ns`;
  } catch (error) {
    if (error instanceof DurationError) return 'an error';
    throw error;
  }
}
