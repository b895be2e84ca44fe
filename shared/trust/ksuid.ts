// KSUIDs as ids of tokens: their first part is the time at which they were made, in seconds.

import { randomBytes } from 'node:crypto';
import KSUID from 'ksuid';

const epoch = 1_400_000_000;

/** Digits are in the order of their characters, so that texts compare as what they stand for. */
const largest = 'aWgEPTl1tmebfsQzFP4bxwgy80V';

/**
 * @param seconds Unix seconds, whole ones
 * @returns 27 letters and digits
 */
export function newKsuid(seconds: number, payload: Buffer = randomBytes(16)): string {
  return KSUID.fromParts(seconds * 1000, payload).string;
}

/** @returns Unix seconds; undefined for a text that is no KSUID */
export function ksuidTime(text: string): number | undefined {
  // The library decodes any 27 characters, and throws for more than 20 bytes.
  if (!/^[0-9A-Za-z]{27}$/.test(text) || text > largest) return undefined;
  return KSUID.parse(text).timestamp + epoch;
}
