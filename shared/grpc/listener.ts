// The sockets that a server listens on. grpc-js could do that itself, but would let only 511 connections wait in
// the kernel, beyond which a peer waits in vain for seconds, and would let in at once whatever comes.

import { createServer, isIP, type Server, type Socket } from 'node:net';
import type { Logger } from '../logger.js';
import { formatHostPort, type HostPort } from '../net/addresses.js';
import type { Lookup } from '../net/dial-policy.js';
import { listenError } from '../net/listen-error.js';
import { systemLookup } from '../net/lookup.js';

/** Connections that wait in the kernel; it may allow fewer (net.core.somaxconn). */
const backlog = 4096;

export interface Listener {
  readonly port: number;
  /** Takes no more connections. @returns a promise that resolves when those that are there are closed */
  close(): Promise<void>;
}

/**
 * Listens on every address of this machine that the host has, on one port.
 *
 * @param connected is given each connection, before anything was read from it
 * @throws ListenError where an address is taken, or none is this machine's
 */
export async function openListener(
  { host, port }: HostPort,
  connected: (socket: Socket) => void,
  log: Logger,
  lookup: Lookup = systemLookup,
): Promise<Listener> {
  const servers: Server[] = [];
  const close = async () => {
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  };
  let bound = port;
  let missing: unknown;
  try {
    for (const ip of isIP(host) === 0 ? await lookup(host) : [host]) {
      const server = createServer({ pauseOnConnect: true }, connected);
      try {
        bound = await listen(server, ip, bound);
      } catch (error) {
        if (!isElsewhere(error)) throw error;
        missing = error;
        continue;
      }
      servers.push(server);
      server.on('error', (error) => log.error({ err: error }, 'a connection could not be taken'));
    }
    if (servers.length === 0) throw missing;
  } catch (error) {
    void close();
    throw listenError(formatHostPort(host, port), error instanceof Error ? error : new Error(String(error)));
  }
  return { port: bound, close };
}

/** A name may have addresses that this machine has not: ::1 for localhost where there is no IPv6. */
function isElsewhere(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT';
}

/** @returns the port that was bound */
function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, backlog }, () => {
      server.off('error', reject);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}
