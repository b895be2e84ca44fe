// Ports for services that are started, killed and started again at the same address.

import { createServer, type Server } from 'node:net';

/**
 * Below the ports that a system gives to outgoing connections: none of those takes a service's port while the
 * service is down.
 */
const lowest = 12_000;
const highest = 31_999;

const mostTries = 100;

/** Finds a port for each name that is free now on every address. Nothing reserves them. */
export async function freePorts<Name extends string>(
  names: readonly Name[],
  random: () => number = Math.random,
): Promise<Record<Name, number>> {
  const held = await Promise.all(names.map(async (name) => ({ name, ...(await listenSomewhere(random)) })));
  await Promise.all(held.map(({ server }) => new Promise((resolve) => server.close(resolve))));
  return Object.fromEntries(held.map(({ name, port }) => [name, port])) as Record<Name, number>;
}

async function listenSomewhere(random: () => number): Promise<{ server: Server; port: number }> {
  for (let tries = 1; ; tries++) {
    const port = lowest + Math.floor(random() * (highest - lowest + 1));
    try {
      return { server: await listen(port), port };
    } catch (error) {
      if (tries >= mostTries) throw error;
    }
  }
}

function listen(port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, '0.0.0.0', () => resolve(server));
  });
}
