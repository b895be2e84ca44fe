// Where files are in memory, so that the disks of a swarm's nodes cost no more than they must.

import { accessSync, constants } from 'node:fs';

const sharedMemory = '/dev/shm';

/** @returns a folder in memory that can be written to; undefined where this system has none */
export function memoryFolder(): string | undefined {
  try {
    accessSync(sharedMemory, constants.W_OK);
    return sharedMemory;
  } catch {
    return undefined;
  }
}
