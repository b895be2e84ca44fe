// Peers that are no servers of Slipway: they listen, and do with each connection what a test wants.

import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { onTestFinished } from 'vitest';

export interface Peer {
  readonly address: string;
  readonly sockets: readonly Socket[];
  /** Resolves when a connection is there. */
  readonly connected: Promise<unknown>;
  /** Resolves when every connection that is there was ended or broken from the other side. */
  allClosed(): Promise<void>;
}

/** Listens, and does with each connection what it is told. */
export async function startPeer(onConnection: (socket: Socket) => void): Promise<Peer> {
  const sockets: Socket[] = [];
  const peer = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    onConnection(socket);
  });
  const connected = once(peer, 'connection');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    peer.close();
  });
  return {
    address: await listening(peer),
    sockets,
    connected,
    allClosed: async () => {
      await Promise.all(
        sockets.map((socket) => socket.destroyed || socket.readableEnded || once(socket, 'end')),
      );
    },
  };
}

/** A TLS server of any kind, which reads and says nothing. */
export async function startTls(options: TlsOptions): Promise<{
  readonly address: string;
  readonly received: readonly Buffer[];
}> {
  const received: Buffer[] = [];
  const peer = createTlsServer(options, (socket) => {
    socket.on('error', () => {});
    socket.on('data', (bytes) => received.push(bytes));
  });
  peer.on('connection', (socket) => onTestFinished(() => void socket.destroy()));
  peer.on('tlsClientError', () => {});
  onTestFinished(() => void peer.close());
  return { address: await listening(peer), received };
}

async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('the peer has no port');
  return `127.0.0.1:${bound.port}`;
}
