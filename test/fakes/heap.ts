// How much memory something takes that stays.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

/** @returns bytes of the heap by which what `make` gives, and all that only it holds, has made it larger */
export function heapBytesOf(make: () => unknown): number {
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
