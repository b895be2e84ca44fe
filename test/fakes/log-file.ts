// What of the file of an event log is in use: it is longer, so that there is room for what comes.

import { readFileSync } from 'node:fs';

const pageBytes = 4096;

/** @returns the length of a file without the pages at its end in which nothing is */
export function usedBytes(path: string): number {
  const bytes = readFileSync(path);
  let end = bytes.length;
  while (end > 0 && bytes.subarray(end - pageBytes, end).every((byte) => byte === 0)) end -= pageBytes;
  return end;
}
