// How much memory something takes that stays.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

/** What else the process does meanwhile is not counted: the median of so many. The first run compiles code, and is none. */
const runs = 3;

/** @returns bytes of the heap by which what `make` gives, and all that only it holds, has made it larger */
export function heapBytesOf(make: () => unknown): number {
  make();
  const [, median = 0] = Array.from({ length: runs }, () => bytesOf(make)).sort((one, other) => one - other);
  return median;
}

function bytesOf(make: () => unknown): number {
  const before = heapBytes();
  const made = make();
  const bytes = heapBytes() - before;
  return made === undefined ? 0 : bytes;
}

function heapBytes(): number {
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}
