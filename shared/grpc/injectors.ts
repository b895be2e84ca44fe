// Takes connections into a server, each with the credentials that it is to have, and lets go of credentials that
// are of no more use together with what is connected with them.

import type { Socket } from 'node:net';
import type { Server, ServerCredentials } from '@grpc/grpc-js';
import type { Clock, Timer } from '../clock.js';

interface Entry {
  readonly injector: ReturnType<Server['createConnectionInjector']>;
  readonly sockets: Set<Socket>;
}

export class Injectors {
  readonly #server: Server;
  readonly #clock: Clock;
  readonly #entries = new Map<ServerCredentials, Entry>();
  readonly #sockets = new Set<Socket>();
  readonly #ending = new Set<Timer>();

  constructor(server: Server, clock: Clock) {
    this.#server = server;
    this.#clock = clock;
  }

  /** @throws Error where the credentials cannot be used */
  prepare(credentials: ServerCredentials): void {
    this.#entryOf(credentials);
  }

  /** @param socket paused, and nothing was read from it yet */
  inject(socket: Socket, credentials: ServerCredentials): void {
    const { injector, sockets } = this.#entryOf(credentials);
    sockets.add(socket);
    this.#sockets.add(socket);
    socket.once('close', () => {
      sockets.delete(socket);
      this.#sockets.delete(socket);
    });
    injector.injectConnection(socket);
    socket.resume();
  }

  /** Lets calls that are under way finish for `graceMs`, then cuts the connections. */
  release(credentials: ServerCredentials, graceMs: number): void {
    const entry = this.#entries.get(credentials);
    if (entry === undefined) return;
    this.#entries.delete(credentials);
    entry.injector.destroy();
    if (entry.sockets.size === 0) return;
    const timer = this.#clock.setTimer(graceMs, () => {
      this.#ending.delete(timer);
      for (const socket of entry.sockets) socket.destroy();
    });
    this.#ending.add(timer);
  }

  /** Cuts what is still connected: also those in a handshake, which grpc-js does not know of yet. */
  close(): void {
    for (const timer of this.#ending) timer.cancel();
    this.#ending.clear();
    for (const socket of this.#sockets) socket.destroy();
  }

  #entryOf(credentials: ServerCredentials): Entry {
    let entry = this.#entries.get(credentials);
    if (entry === undefined) {
      entry = { injector: this.#server.createConnectionInjector(credentials), sockets: new Set() };
      this.#entries.set(credentials, entry);
    }
    return entry;
  }
}
