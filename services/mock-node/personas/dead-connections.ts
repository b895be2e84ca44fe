// Connections to dead nodes: refused, or taken and never answered, not even to shake hands.

import type { Socket } from 'node:net';
import type { Connections } from './persona.js';

export class DeadConnections {
  readonly #held = new Set<Socket>();
  #closed = false;

  /** How many are held. */
  get held(): number {
    return this.#held.size;
  }

  /**
   * @param socket paused, and nothing was read from it yet
   * @returns whether it was taken: not where the node serves its connections
   */
  take(socket: Socket, connections: Connections): boolean {
    switch (connections) {
      case 'SERVED':
        return false;
      case 'RESET':
        socket.resetAndDestroy();
        return true;
      case 'SILENT':
        this.#hold(socket);
        return true;
    }
  }

  /** Lets go of all of them, and of those that come later as they come. */
  close(): void {
    this.#closed = true;
    for (const socket of this.#held) socket.destroy();
  }

  #hold(socket: Socket): void {
    this.#held.add(socket);
    socket.once('close', () => this.#held.delete(socket));
    // A peer that goes away does so as it likes.
    socket.on('error', () => {});
    // What it sends is read and thrown away: else nobody would hear that it has closed.
    socket.resume();
    if (this.#closed) socket.destroy();
  }
}
