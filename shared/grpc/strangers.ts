// Bounds the connections of peers that have not shown who they are. Health is open to everybody and a handshake has to
// be waited for, so that anybody could hold as many connections as there is memory and files for.

import type { Socket } from 'node:net';
import type { Connection } from './gate.js';

interface Stranger {
  readonly socket: Connection;
  readonly source: string;
}

/** Both ends of a connection, which tell it from every other one of a listener. */
type Ends = Pick<Socket, 'remoteAddress' | 'remotePort' | 'localAddress'>;

export class Strangers {
  readonly #atMost: number;
  /** By their ends, oldest first. */
  readonly #strangers = new Map<string, Stranger>();

  /** @param atMost connections */
  constructor(atMost: number) {
    this.#atMost = atMost;
  }

  /**
   * Where there are too many with this one, closes the oldest of the address that has most: those who ask for health
   * are soon gone, and those who stay make room for them.
   */
  enter(socket: Ends & Connection): void {
    const key = keyOf(socket);
    const stranger = { socket, source: socket.remoteAddress ?? '' };
    this.#strangers.set(key, stranger);
    socket.once('close', () => {
      if (this.#strangers.get(key) === stranger) this.#strangers.delete(key);
    });
    if (this.#strangers.size > this.#atMost) this.#closeOne();
  }

  /** The peer has shown a certificate that is good. */
  known(socket: Ends): void {
    this.#strangers.delete(keyOf(socket));
  }

  #closeOne(): void {
    const counts = new Map<string, number>();
    for (const { source } of this.#strangers.values()) counts.set(source, (counts.get(source) ?? 0) + 1);
    const most = Math.max(...counts.values());
    for (const [key, { socket, source }] of this.#strangers) {
      if (counts.get(source) !== most) continue;
      this.#strangers.delete(key);
      socket.destroy();
      return;
    }
  }
}

function keyOf({ remoteAddress, remotePort, localAddress }: Ends): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`;
}
