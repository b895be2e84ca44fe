// Listeners of a test's own.

import type { Server } from 'node:net';
import { onTestFinished } from 'vitest';

/** Makes a server listen until the test is over. @returns its port */
export async function listenAnywhere(server: Server, host: string): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, host, resolve);
  });
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a listener without a port');
  return address.port;
}
