// Reads the file of faults: a regular file and no long one, so that nothing else that is put there can hold up the nodes
// or fill their memory. When it is read, and what it means, is fault-file.ts's matter.

import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** Enough for a line for each node of a swarm. */
const mostBytes = 1 << 20;

/** @throws Error saying why there is no text to be had */
export async function readFaultText(path: string): Promise<string> {
  // A pipe that nobody writes to would else be waited for, also by the end of the process.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw new Error('it is no regular file');
    if (stats.size > mostBytes) throw new Error(`it has ${stats.size} bytes, more than ${mostBytes}`);
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}
