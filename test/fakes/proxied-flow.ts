// What one side of a connection through a fault proxy says, on its way to the other: in order, each piece as late as
// it is told to be, or not at all.

import type { Socket } from 'node:net';
import type { Clock, Timer } from '../../shared/clock.js';

export interface FlowOptions {
  readonly clock: Clock;
  readonly delayMs: () => number;
  readonly passed: (bytes: number) => void;
  readonly swallowed: (bytes: number) => void;
}

/** Bytes, or that there are no more of them. */
type Piece = Buffer | 'END';

/** Beyond this, what is on its way makes the sender wait. */
const mostOnTheWay = 1 << 20;

export class Flow {
  readonly #from: Socket;
  readonly #to: Socket | undefined;
  readonly #options: FlowOptions;
  readonly #waiting: { readonly piece: Piece; readonly dueAt: number }[] = [];
  #waitingBytes = 0;
  #timer: Timer | undefined;
  #swallows: boolean;
  #ended = false;

  /** @param to undefined: all is swallowed */
  constructor(from: Socket, to: Socket | undefined, options: FlowOptions) {
    this.#from = from;
    this.#to = to;
    this.#options = options;
    this.#swallows = to === undefined;
    from.on('data', (bytes) => this.#take(bytes));
    from.on('end', () => this.#take('END'));
    to?.on('drain', () => this.#goOn());
  }

  /** Whether the sender has said that there is no more. */
  get ended(): boolean {
    return this.#ended;
  }

  /** From now on nothing arrives, also of what is on its way. */
  swallow(): void {
    this.#swallows = true;
    this.#options.swallowed(this.#waitingBytes);
    this.#forget();
    this.#from.resume();
  }

  /** There is nobody any more to whom anything could be carried. */
  stop(): void {
    this.#forget();
    this.#swallows = true;
    this.#from.resume();
  }

  /** The sender is gone: so is the receiver, unless nothing reaches it. */
  abort(): void {
    if (this.#swallows) return;
    this.#forget();
    this.#to?.resetAndDestroy();
  }

  #take(piece: Piece): void {
    if (this.#swallows) {
      if (piece !== 'END') this.#options.swallowed(piece.length);
      return;
    }
    if (piece === 'END') this.#ended = true;
    const delayMs = this.#options.delayMs();
    if (delayMs <= 0 && this.#waiting.length === 0) {
      this.#pass(piece);
    } else {
      const dueAt = this.#options.clock.monotonic() + delayMs;
      this.#waiting.push({ piece, dueAt: Math.max(dueAt, this.#waiting.at(-1)?.dueAt ?? 0) });
      this.#waitingBytes += piece === 'END' ? 0 : piece.length;
      this.#timer ??= this.#wake();
    }
    if (this.#isFull) this.#from.pause();
  }

  #pass(piece: Piece): void {
    if (piece === 'END') {
      this.#to?.end();
      return;
    }
    this.#options.passed(piece.length);
    this.#to?.write(piece);
  }

  #wake(): Timer | undefined {
    const [next] = this.#waiting;
    if (next === undefined) return undefined;
    const { clock } = this.#options;
    return clock.setTimer(next.dueAt - clock.monotonic(), () => this.#passDue());
  }

  #passDue(): void {
    const now = this.#options.clock.monotonic();
    for (let next = this.#waiting[0]; next !== undefined && next.dueAt <= now; next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#waitingBytes -= next.piece === 'END' ? 0 : next.piece.length;
      this.#pass(next.piece);
    }
    this.#timer = this.#wake();
    this.#goOn();
  }

  get #isFull(): boolean {
    return this.#waitingBytes + (this.#to?.writableLength ?? 0) > mostOnTheWay;
  }

  #goOn(): void {
    if (!this.#isFull) this.#from.resume();
  }

  #forget(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#waiting.length = 0;
    this.#waitingBytes = 0;
  }
}
