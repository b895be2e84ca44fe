// A TCP proxy on loopback, to be put between any two parts: what it does to the connections through it can be
// changed at any moment. What happens to one connection is proxied-connection.ts's matter.

import { createServer, type Server, type Socket } from 'node:net';
import { type Clock, systemClock } from '../../shared/clock.js';
import { formatHostPort, parseHostPort } from '../../shared/net/addresses.js';
import type { Random } from '../../shared/random.js';
import { type Direction, type Peer, ProxiedConnection, type Traffic } from './proxied-connection.js';

/** What is done to the connections that are there, and to those that come. */
export type ProxyMode =
  | { readonly kind: 'PASS' }
  /** Every byte takes so many milliseconds, and up to `jitterMs` more. None overtakes another. */
  | {
      readonly kind: 'LATENCY';
      readonly toServerMs: number;
      readonly toClientMs: number;
      readonly jitterMs?: number;
    }
  /** RST to both sides now, and to whoever connects. */
  | { readonly kind: 'RESET' }
  /**
   * Connections are accepted, and what is said on them is swallowed, in one direction or in both; so is that a side
   * has closed. A connection that lost something stays deaf in that direction, whatever comes after: TCP has no gaps.
   */
  | { readonly kind: 'BLACK_HOLE'; readonly direction?: Direction }
  /**
   * That peer vanishes from the connections that are there, and the other one is not told. Those that come are passed:
   * somebody is there again.
   */
  | { readonly kind: 'HALF_OPEN'; readonly gone: Peer };

export interface FaultProxyOptions {
  /** host:port that it stands before. It need not be there yet. */
  readonly target: string;
  /** host:port; default a free port of 127.0.0.1. */
  readonly listen?: string;
  readonly mode?: ProxyMode;
  readonly clock?: Clock;
  readonly random?: Random;
}

/** What has gone through since the start. */
export interface ProxyCounts extends Readonly<Traffic> {
  /** Connections that clients have made. */
  readonly connections: number;
  /** Of them, those that have an end that is still open here. */
  readonly open: number;
}

export class FaultProxy implements AsyncDisposable {
  readonly #options: FaultProxyOptions;
  readonly #server: Server;
  readonly #open = new Set<ProxiedConnection>();
  readonly #traffic: Traffic = { toServer: 0, toClient: 0, swallowed: 0 };
  #mode: ProxyMode;
  #connections = 0;

  private constructor(options: FaultProxyOptions) {
    this.#options = options;
    this.#mode = options.mode ?? { kind: 'PASS' };
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => this.#accept(client));
  }

  /** Listens until it is closed. @throws Error where the address is taken */
  static async start(options: FaultProxyOptions): Promise<FaultProxy> {
    const proxy = new FaultProxy(options);
    await proxy.#listen(parseHostPort(options.listen ?? '127.0.0.1:0'));
    return proxy;
  }

  /** host:port where it listens. */
  get address(): string {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the proxy is closed');
    return formatHostPort(address.address, address.port);
  }

  get mode(): ProxyMode {
    return this.#mode;
  }

  get counts(): ProxyCounts {
    return { ...this.#traffic, connections: this.#connections, open: this.#open.size };
  }

  /** From now on. What is on its way with a latency keeps it. */
  set(mode: ProxyMode): void {
    this.#mode = mode;
    for (const connection of this.#open) this.#apply(connection);
  }

  /** Ends what is open, with RST, and listens no more. */
  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const connection of this.#open) connection.reset();
    await closed;
  }

  #listen({ host, port }: { readonly host: string; readonly port: number }): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, () => {
        this.#server.off('error', reject);
        resolve();
      });
    });
  }

  #accept(client: Socket): void {
    this.#connections++;
    if (this.#mode.kind === 'RESET') {
      client.on('error', () => {});
      client.resetAndDestroy();
      return;
    }
    const { target, clock = systemClock } = this.#options;
    const connection = new ProxiedConnection(client, {
      // Into a black hole nobody is followed.
      target: isDeaf(this.#mode) ? undefined : parseHostPort(target),
      clock,
      traffic: this.#traffic,
      delayMs: (direction) => this.#delayMs(direction),
      closed: () => this.#open.delete(connection),
    });
    this.#open.add(connection);
    if (this.#mode.kind === 'BLACK_HOLE') this.#apply(connection);
  }

  #apply(connection: ProxiedConnection): void {
    switch (this.#mode.kind) {
      case 'PASS':
      case 'LATENCY':
        return;
      case 'RESET':
        connection.reset();
        return;
      case 'BLACK_HOLE':
        connection.swallow(this.#mode.direction);
        return;
      case 'HALF_OPEN':
        connection.lose(this.#mode.gone);
    }
  }

  #delayMs(direction: Direction): number {
    if (this.#mode.kind !== 'LATENCY') return 0;
    const { toServerMs, toClientMs, jitterMs = 0 } = this.#mode;
    const { random = Math.random } = this.#options;
    return (direction === 'TO_SERVER' ? toServerMs : toClientMs) + jitterMs * random();
  }
}

function isDeaf(mode: ProxyMode): boolean {
  return mode.kind === 'BLACK_HOLE' && mode.direction === undefined;
}
