// Faults that come and go: every few seconds others befall a few of a hundred calls to the nodes.

import { renameSync, writeFileSync } from 'node:fs';
import { type Clock, sleep } from '../../../shared/clock.js';
import type { Random } from '../../../shared/random.js';
import { between, oneOf } from './seeded.js';

const rpcs = ['identify', 'jwt', 'key', 'inventory', 'configure', 'restart', 'status', '*'] as const;

/** Those of a lost or late call, those of a node that dies, and those of a wrong answer. */
const kinds = [
  'drop-request',
  'drop-reply',
  'hang',
  'hang-after',
  'delay:700ms',
  'delay:4s',
  'duplicate',
  'crash-before',
  'crash-after',
  'reboot',
  'garbage',
  'wrong-identity',
  'error:UNAVAILABLE',
  'error:INTERNAL',
  'error:ABORTED',
  'error:PERMISSION_DENIED',
] as const;

const leastAtOnce = 3;
const mostAtOnce = 8;

/** @returns faults as the mock node reads them, one a line: three to eight, each of 1 to 5 % of an RPC's calls */
export function weatherOf(random: Random): string[] {
  return Array.from({ length: Math.floor(between(random, leastAtOnce, mostAtOnce + 1)) }, () => {
    const percent = Math.floor(between(random, 1, 6));
    return `${oneOf(random, rpcs)}:${oneOf(random, kinds)}:0.0${percent}`;
  });
}

/**
 * Changes the faults in the file every two to six seconds until it is told to stop; then there are none.
 *
 * @returns how often it has changed them
 */
export async function makeWeather(
  file: string,
  random: Random,
  clock: Clock,
  signal: AbortSignal,
): Promise<number> {
  let changes = 0;
  while (!signal.aborted) {
    replace(file, weatherOf(random));
    changes++;
    await sleep(clock, between(random, 2_000, 6_000), signal).catch(() => {});
  }
  replace(file, []);
  return changes;
}

/** Nobody reads half of it. */
function replace(file: string, faults: readonly string[]): void {
  writeFileSync(`${file}.new`, faults.map((fault) => `${fault}\n`).join(''));
  renameSync(`${file}.new`, file);
}
