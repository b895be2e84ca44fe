// Ports for services that are started, killed and started again at the same address.

import { createServer, type Server } from 'node:net';

/**
 * Finds a loopback port for each name that is free now. Nothing reserves them; they come from the range
 * that the system hands out, so that others take them only by chance.
 */
export async function freePorts<Name extends string>(names: readonly Name[]): Promise<Record<Name, number>> {
  const listeners = await Promise.all(names.map(async (name) => ({ name, server: await listenAnywhere() })));
  const ports = listeners.map(({ name, server }) => {
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('a listener without a port');
    return [name, address.port] as const;
  });
  await Promise.all(listeners.map(({ server }) => new Promise((resolve) => server.close(resolve))));
  return Object.fromEntries(ports) as Record<Name, number>;
}

function listenAnywhere(): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve(server));
  });
}
