// Takes connections into a server, each with the credentials that it is to have, and lets go of credentials that
// are of no more use together with what is connected with them.

import type { Socket } from 'node:net';
import { type Server, ServerCredentials } from '@grpc/grpc-js';
import type { Clock, Timer } from '../clock.js';
import type { Logger } from '../logger.js';
import type { Strangers } from './strangers.js';
import { terminating } from './termination.js';

type Injector = ReturnType<Server['createConnectionInjector']>;

interface Entry {
  readonly injector: Injector;
  /** Takes a connection from which nothing was read yet. */
  readonly take: (socket: Socket) => void;
  readonly sockets: Set<Socket>;
}

export class Injectors {
  readonly #server: Server;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #strangers: Strangers | undefined;
  readonly #entries = new Map<ServerCredentials, Entry>();
  readonly #sockets = new Set<Socket>();
  readonly #ending = new Set<Timer>();

  /** @param strangers where peers are to show certificates: bounds those that have not */
  constructor(server: Server, clock: Clock, log: Logger, strangers?: Strangers) {
    this.#server = server;
    this.#clock = clock;
    this.#log = log;
    this.#strangers = strangers;
  }

  /** @throws Error where the credentials cannot be used */
  prepare(credentials: ServerCredentials): void {
    this.#entryOf(credentials);
  }

  /** @param socket paused, and nothing was read from it yet */
  inject(socket: Socket, credentials: ServerCredentials): void {
    const { take, sockets } = this.#entryOf(credentials);
    sockets.add(socket);
    this.#sockets.add(socket);
    socket.once('close', () => {
      sockets.delete(socket);
      this.#sockets.delete(socket);
    });
    this.#strangers?.enter(socket);
    take(socket);
    socket.resume();
  }

  /** Lets calls that are under way finish for `graceMs`, then cuts the connections. */
  release(credentials: ServerCredentials, graceMs: number): void {
    const entry = this.#entries.get(credentials);
    if (entry === undefined) return;
    this.#entries.delete(credentials);
    entry.injector.destroy();
    if (entry.sockets.size > 0) this.#later(graceMs, () => destroyAll(entry.sockets));
  }

  /** Resets those of the connections that are meant: their peers are told that something went wrong. */
  reset(isMeant: (socket: Socket) => boolean): void {
    for (const socket of [...this.#sockets].filter(isMeant)) socket.resetAndDestroy();
  }

  /** Closes those of the connections that are meant and open now, after `graceMs`. */
  cut(isMeant: (socket: Socket) => boolean, graceMs: number): void {
    const meant = [...this.#sockets].filter(isMeant);
    if (graceMs === 0) destroyAll(meant);
    else if (meant.length > 0) this.#later(graceMs, () => destroyAll(meant));
  }

  /** Cuts what is still connected: also those in a handshake, which grpc-js does not know of yet. */
  close(): void {
    for (const timer of this.#ending) timer.cancel();
    this.#ending.clear();
    destroyAll(this.#sockets);
  }

  #later(ms: number, act: () => void): void {
    const timer = this.#clock.setTimer(ms, () => {
      this.#ending.delete(timer);
      act();
    });
    this.#ending.add(timer);
  }

  #entryOf(credentials: ServerCredentials): Entry {
    let entry = this.#entries.get(credentials);
    if (entry === undefined) {
      const injector = this.#server.createConnectionInjector(ServerCredentials.createInsecure());
      entry = { injector, take: this.#takingInto(injector, credentials), sockets: new Set() };
      this.#entries.set(credentials, entry);
    }
    return entry;
  }

  #takingInto(injector: Injector, credentials: ServerCredentials): (socket: Socket) => void {
    const inject = (socket: Socket) => injector.injectConnection(socket);
    const known = (socket: Socket) => this.#strangers?.known(socket);
    return credentials._isSecure() ? terminating(credentials, inject, this.#log, known) : inject;
  }
}

function destroyAll(sockets: Iterable<Socket>): void {
  for (const socket of sockets) socket.destroy();
}
