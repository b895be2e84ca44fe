// One connection through a fault proxy: two sockets, and what is carried from each to the other. A close and a reset
// are carried like bytes; a peer that is to hear of neither is lost.

import { connect, type Socket } from 'node:net';
import type { Clock } from '../../shared/clock.js';
import { Flow } from './proxied-flow.js';

export type Direction = 'TO_SERVER' | 'TO_CLIENT';
export type Peer = 'CLIENT' | 'SERVER';

/** Bytes that were handed on, and those that were not. */
export interface Traffic {
  toServer: number;
  toClient: number;
  swallowed: number;
}

export interface ProxiedConnectionOptions {
  /** Undefined: nobody is connected to. */
  readonly target: { readonly host: string; readonly port: number } | undefined;
  readonly clock: Clock;
  /** Added to. */
  readonly traffic: Traffic;
  /** Asked for each piece that arrives: how long it is on its way. */
  readonly delayMs: (direction: Direction) => number;
  /** Told once both sockets are closed. */
  readonly closed: () => void;
}

export class ProxiedConnection {
  readonly #options: ProxiedConnectionOptions;
  readonly #client: Socket;
  readonly #server: Socket | undefined;
  readonly #toServer: Flow;
  readonly #toClient: Flow | undefined;
  #open = 0;

  constructor(client: Socket, options: ProxiedConnectionOptions) {
    const { target, clock, traffic, delayMs } = options;
    this.#options = options;
    this.#client = client;
    this.#server = target && connect({ ...target, allowHalfOpen: true, noDelay: true });
    const swallowed = (bytes: number) => {
      traffic.swallowed += bytes;
    };
    this.#toServer = new Flow(client, this.#server, {
      clock,
      delayMs: () => delayMs('TO_SERVER'),
      passed: (bytes) => {
        traffic.toServer += bytes;
      },
      swallowed,
    });
    this.#toClient =
      this.#server &&
      new Flow(this.#server, client, {
        clock,
        delayMs: () => delayMs('TO_CLIENT'),
        passed: (bytes) => {
          traffic.toClient += bytes;
        },
        swallowed,
      });
    this.#watch(client, this.#toServer, this.#toClient);
    if (this.#server && this.#toClient) this.#watch(this.#server, this.#toClient, this.#toServer);
  }

  /** RST to both sides. */
  reset(): void {
    this.#toServer.stop();
    this.#toClient?.stop();
    this.#client.resetAndDestroy();
    this.#server?.resetAndDestroy();
  }

  /** Nothing comes through any more, not even that a side has closed; in one direction, or in both. */
  swallow(direction: Direction | undefined): void {
    if (direction !== 'TO_CLIENT') this.#toServer.swallow();
    if (direction !== 'TO_SERVER') this.#toClient?.swallow();
  }

  /** The peer is gone; the other is not told, and talks to nobody. */
  lose(peer: Peer): void {
    this.swallow(undefined);
    (peer === 'CLIENT' ? this.#client : this.#server)?.resetAndDestroy();
  }

  /** @param inbound carries from the socket; `outbound`, to it */
  #watch(socket: Socket, inbound: Flow, outbound: Flow | undefined): void {
    this.#open++;
    // Whatever ends a socket, it closes.
    socket.on('error', () => {});
    socket.on('close', () => {
      outbound?.stop();
      // One that both sides have ended closes by itself.
      if (!inbound.ended || !outbound?.ended) inbound.abort();
      if (--this.#open === 0) this.#options.closed();
    });
  }
}
