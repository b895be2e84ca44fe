// Lets connections in only as fast as they are served. A session costs far more than a socket: when thousands
// of nodes come at once, each waits here until some of those before it are done, and one that has waited so long
// that its caller is about to give up is closed, which costs next to nothing. Without that a busy server serves
// callers that are gone, and nobody else. Sources take turns, so that none keeps the others out.

import type { Clock, Timer } from '../clock.js';

/** What waits at a gate: a socket. */
export interface Connection {
  once(event: 'close', listener: () => void): unknown;
  destroy(): unknown;
}

export interface GateOptions<T> {
  readonly clock: Clock;
  /**
   * Connections that are let in and not done: closed, or open for a second. As few as this process is behind with, and as
   * many as it takes for nobody to wait.
   */
  readonly atOnce: { readonly fewest: number; readonly most: number };
  /** Whom a connection is counted to. */
  readonly sourceOf: (connection: T) => string;
  /** Told of each connection that was closed at the gate. */
  readonly turnedAway: () => void;
}

/**
 * After so long a connection is one that stays, and keeps nobody waiting: milliseconds in which this process came to
 * serve it. One that is not done because this process is behind is no reason to take on more.
 */
const doneAfterMs = 1000;

/** The longest wait: callers give up after a few seconds. Milliseconds. */
const longestWaitMs = 2000;

/** Connections that wait at once. */
const mostWaiting = 4096;

/** How often those that wait are looked through: milliseconds. */
const everyMs = 100;

/** A look that comes later than this shows that this process is behind: milliseconds. */
const behindMs = 50;

/** What the number of those inside is multiplied by where this process is behind, and where it is not. */
const fewer = 0.7;
const more = 1.25;

interface Place<T> {
  readonly connection: T;
  /** Monotonic. */
  readonly since: number;
}

export class Gate<T extends Connection> {
  readonly #options: GateOptions<T>;
  readonly #letIn: (connection: T) => void;
  /** When each of those that are not done was let in, by `#time`, oldest first. */
  readonly #inside = new Map<T, number>();
  /** Those of one source each, oldest first; the source whose turn it is comes first. */
  readonly #lines = new Map<string, Place<T>[]>();
  #waiting = 0;
  #atOnce: number;
  #timer: Timer | undefined;
  /** Goes on with each look at those that wait, by no more than there is between looks. */
  #time = 0;
  #lookedAt: number;

  constructor(options: GateOptions<T>, letIn: (connection: T) => void) {
    this.#options = options;
    this.#letIn = letIn;
    this.#atOnce = options.atOnce.fewest;
    this.#lookedAt = options.clock.monotonic();
  }

  /** Lets the connection in when its turn comes, or closes it. */
  enter(connection: T): void {
    const { clock, sourceOf } = this.#options;
    const source = sourceOf(connection);
    const place = { connection, since: clock.monotonic() };
    const line = this.#lines.get(source);
    if (line === undefined) this.#lines.set(source, [place]);
    else line.push(place);
    this.#waiting++;
    if (this.#waiting > mostWaiting) this.#turnAwayFirstOf(this.#longestLine());
    this.#proceed();
  }

  /** Closes what waits. */
  close(): void {
    for (const { connection } of [...this.#lines.values()].flat()) connection.destroy();
    this.#lines.clear();
    this.#waiting = 0;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #proceed(): void {
    const { clock } = this.#options;
    // While nobody waits, nothing is behind.
    if (this.#timer === undefined) this.#passTime(Number.POSITIVE_INFINITY);
    for (const [connection, since] of this.#inside) {
      if (this.#time - since < doneAfterMs) break;
      this.#inside.delete(connection);
    }
    while (this.#waiting > 0 && this.#inside.size < this.#atOnce) this.#takeNext();
    if (this.#waiting > 0) this.#timer ??= clock.setTimer(everyMs, () => this.#lookThrough());
  }

  #passTime(longestMs: number): void {
    const now = this.#options.clock.monotonic();
    this.#time += Math.min(now - this.#lookedAt, longestMs);
    this.#lookedAt = now;
  }

  #takeNext(): void {
    const [source] = this.#lines.keys();
    const connection = source === undefined ? undefined : this.#firstOf(source);
    if (source === undefined || connection === undefined) return;
    this.#toTheEnd(source);
    this.#inside.set(connection, this.#time);
    connection.once('close', () => {
      if (this.#inside.delete(connection)) this.#proceed();
    });
    this.#letIn(connection);
  }

  /** Closes those that have waited too long. */
  #lookThrough(): void {
    this.#adapt(this.#options.clock.monotonic() - this.#lookedAt - everyMs);
    this.#passTime(everyMs);
    this.#timer = undefined;
    const tooOld = this.#options.clock.monotonic() - longestWaitMs;
    for (const [source, line] of this.#lines) {
      while (line[0] !== undefined && line[0].since < tooOld) this.#turnAwayFirstOf(source);
    }
    this.#proceed();
  }

  /** While some wait: lets in fewer at once where looks come late, else more. */
  #adapt(lateMs: number): void {
    const { fewest, most } = this.#options.atOnce;
    const wanted = lateMs > behindMs ? Math.floor(this.#atOnce * fewer) : Math.ceil(this.#atOnce * more);
    this.#atOnce = Math.min(Math.max(wanted, fewest), most);
  }

  #longestLine(): string {
    // Where each has one, the first has waited longest; they are not looked through for each that comes then.
    const [first = ''] = this.#lines.keys();
    if (this.#waiting === this.#lines.size) return first;
    let longest = '';
    let most = 0;
    for (const [source, { length }] of this.#lines) {
      if (length > most) [longest, most] = [source, length];
    }
    return longest;
  }

  #turnAwayFirstOf(source: string): void {
    this.#firstOf(source)?.destroy();
    this.#options.turnedAway();
  }

  /** Takes the oldest of a source out of its line. */
  #firstOf(source: string): T | undefined {
    const line = this.#lines.get(source);
    const first = line?.shift();
    if (line?.length === 0) this.#lines.delete(source);
    if (first !== undefined) this.#waiting--;
    return first?.connection;
  }

  #toTheEnd(source: string): void {
    const line = this.#lines.get(source);
    if (line === undefined) return;
    this.#lines.delete(source);
    this.#lines.set(source, line);
  }
}
