// Channel credentials for nodes. grpc-js keeps the socket of a peer that accepts a connection and then says
// nothing, even after the channel was closed; these free it. They rest on _createSecureConnector, which
// grpc-js does not promise to keep: its version is pinned exactly, nothing else uses it, and
// test/integration/grpc-credentials.test.ts shows that it still does what is said here.

import type { Socket } from 'node:net';
import { CallCredentials, ChannelCredentials } from '@grpc/grpc-js';
import { type Clock, systemClock } from '../clock.js';

type Connector = ReturnType<ChannelCredentials['_createSecureConnector']>;

/** How long a closed channel has to close its socket itself: milliseconds. */
const graceMs = 250;

/**
 * Holds the socket of one connection from the moment that TCP is up, so that it can be destroyed when the
 * channel is closed, whatever the peer is waiting for.
 */
class GuardedSocket {
  readonly #clock: Clock;
  #socket: Socket | undefined;
  #released = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @throws where the channel was closed while TCP was still connecting */
  hold(socket: Socket): void {
    if (this.#released) {
      socket.destroy();
      throw new Error('the channel was closed');
    }
    this.#socket = socket;
    socket.once('close', () => {
      if (this.#socket === socket) this.#socket = undefined;
    });
  }

  release(): void {
    this.#released = true;
    if (this.#socket === undefined) return;
    const timer = this.#clock.setTimer(graceMs, () => this.#socket?.destroy());
    this.#socket.once('close', () => timer.cancel());
  }
}

class InsecureNodeCredentials extends ChannelCredentials {
  readonly #clock: Clock;

  constructor(clock: Clock) {
    super();
    this.#clock = clock;
  }

  override _isSecure(): boolean {
    return false;
  }

  override _equals(other: ChannelCredentials): boolean {
    return this === other;
  }

  override _createSecureConnector(
    _target: unknown,
    _options: unknown,
    callCredentials: CallCredentials = CallCredentials.createEmpty(),
  ): Connector {
    const guard = new GuardedSocket(this.#clock);
    return {
      connect: async (socket) => {
        guard.hold(socket);
        return { socket, secure: false };
      },
      waitForReady: async () => {},
      getCallCredentials: () => callCredentials,
      destroy: () => guard.release(),
    };
  }
}

/**
 * Credentials without TLS for channels to nodes. One object serves any number of channels. Closing such a
 * channel ends calls that are still in flight a quarter of a second later.
 */
export function insecureNodeCredentials(clock: Clock = systemClock): ChannelCredentials {
  return new InsecureNodeCredentials(clock);
}

export interface PinnedOptions {
  readonly clock?: Clock;
  /** How long a handshake may take: milliseconds. Default 5000. */
  readonly handshakeMs?: number;
}

/** Words of a failed connection to a peer that showed another certificate than the pinned one. */
export const pinMismatch = 'another certificate than the pinned one';

/**
 * Credentials with TLS for channels to one node: its boot certificate, known by hash, is accepted and no other
 * one, whatever name, issuer and dates it has.
 *
 * @param certificateSha256 lower case hex, of the DER
 */
export function pinnedNodeCredentials(
  _certificateSha256: string,
  _options: PinnedOptions = {},
): ChannelCredentials {
  throw new Error('not yet');
}

/**
 * Credentials with TLS for the first contact with a node of which only the address is known: any certificate is
 * accepted.
 *
 * @param learn is given the certificate's hash, lower case hex, before the first call is sent
 */
export function learningNodeCredentials(
  _learn: (certificateSha256: string) => void,
  _options: PinnedOptions = {},
): ChannelCredentials {
  throw new Error('not yet');
}
