// Channel credentials that let no peer keep a socket. grpc-js keeps the one of a peer that accepts a connection and
// then says nothing, even after the channel was closed; these free it. They rest on _createSecureConnector, which
// grpc-js does not promise to keep: its version is pinned exactly, nothing else uses it, and
// test/integration/grpc-credentials.test.ts shows that it still does what is said here.

import type { Socket } from 'node:net';
import { CallCredentials, ChannelCredentials } from '@grpc/grpc-js';
import type { Clock } from '../clock.js';
import { AddressError, parseHostPort } from '../net/addresses.js';

type Connector = ReturnType<ChannelCredentials['_createSecureConnector']>;
type Target = Parameters<ChannelCredentials['_createSecureConnector']>[0];

/** How long a closed channel has to close its sockets itself: milliseconds. */
const graceMs = 250;

/** Sockets of one channel that are destroyed when it is closed, whatever their peers are waiting for. */
export class SocketGuard {
  readonly #clock: Clock;
  readonly #sockets = new Set<Socket>();
  #released = false;
  #end = () => {};

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @throws where the channel is closed already */
  hold(socket: Socket): void {
    if (this.#released) {
      socket.destroy();
      throw new Error('the channel was closed');
    }
    this.#sockets.add(socket);
    socket.once('close', () => {
      this.#sockets.delete(socket);
      if (this.#sockets.size === 0) this.#end();
    });
  }

  release(): void {
    this.#released = true;
    if (this.#sockets.size === 0) return;
    const timer = this.#clock.setTimer(graceMs, () => {
      for (const socket of this.#sockets) socket.destroy();
    });
    this.#end = () => timer.cancel();
  }
}

/** A connection that is being made: TCP is up. */
export interface Connecting {
  readonly socket: Socket;
  /** The host of the channel's target as it was dialled, IPv6 without brackets; empty where it has none. */
  readonly host: string;
  /** For sockets beyond the one that is there. */
  readonly guard: SocketGuard;
}

/**
 * Makes a connection ready for calls.
 *
 * @returns a promise of the socket that calls go over. Where it rejects, the call fails with UNAVAILABLE, and its
 *   details contain the error's message; `connecting.socket` is then destroyed
 */
export type Secure = (connecting: Connecting) => Promise<Socket>;

export class GuardedCredentials extends ChannelCredentials {
  readonly #clock: Clock;
  readonly #secure: Secure | undefined;

  /** @param secure undefined for plain text */
  constructor(clock: Clock, secure?: Secure) {
    super();
    this.#clock = clock;
    this.#secure = secure;
  }

  override _isSecure(): boolean {
    return this.#secure !== undefined;
  }

  override _equals(other: ChannelCredentials): boolean {
    return this === other;
  }

  override _createSecureConnector(
    target: Target,
    _options: unknown,
    callCredentials: CallCredentials = CallCredentials.createEmpty(),
  ): Connector {
    const guard = new SocketGuard(this.#clock);
    const host = hostOf(target);
    return {
      connect: async (socket) => {
        guard.hold(socket);
        if (this.#secure === undefined) return { socket, secure: false };
        return { socket: await this.#secure({ socket, host, guard }), secure: true };
      },
      waitForReady: async () => {},
      getCallCredentials: () => callCredentials,
      destroy: () => guard.release(),
    };
  }
}

function hostOf({ path }: Target): string {
  try {
    return parseHostPort(path).host;
  } catch (error) {
    if (error instanceof AddressError) return '';
    throw error;
  }
}
