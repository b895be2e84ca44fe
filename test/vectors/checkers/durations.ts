// durations.json: durations in configuration.

import { z } from 'zod';
import { DurationError, parseDuration } from '../../../shared/durations.js';
import { checker, same } from '../checker.js';

const shape = z.object({
  input: z.string(),
  ok: z.boolean(),
  /** Nanoseconds, where `ok`. */
  ns: z.string().optional(),
});

export const durations = checker(
  shape,
  ({ input }) => JSON.stringify(input),
  ({ input, ok, ns }) => same(ok ? `${ns} ns` : 'an error', read(input)),
);

function read(input: string): string {
  try {
    return `${parseDuration(input)} ns`;
  } catch (error) {
    if (error instanceof DurationError) return 'an error';
    throw error;
  }
}
