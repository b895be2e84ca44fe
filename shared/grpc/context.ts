// What a handler is told of the call beside its request, and when it must stop.

import { type Metadata, status } from '@grpc/grpc-js';
import type { Logger } from '../logger.js';
import { formatHostPort, unmapIp } from '../net/addresses.js';
import { RpcError } from './errors.js';
import { type AuthContext, certificateName } from './peer-name.js';

export interface CallContext {
  readonly metadata: Metadata;
  /** The peer's IP address and port, IPv6 in brackets; `unknown` where the connection is gone already. */
  readonly peer: string;
  /** The peer's IP address; an IPv4 address mapped into IPv6 is given as IPv4. Empty where unknown. */
  readonly peerHost: string;
  /** The name in the peer's verified certificate, for people to read; empty where it has shown none. */
  readonly peerName: string;
  /** The host and port that the caller dialled, as it says. */
  readonly authority: string;
  /** Aborted when the caller cancelled, the deadline passed or, for streams, the server stops. */
  readonly signal: AbortSignal;
  /** Says which RPC it is about, and who called. */
  readonly log: Logger;
}

/** Emitted by the server on an open call when it stops (server.ts). */
export const serverStopping = Symbol('serverStopping');

/** What the two kinds of calls that are served here have in common. */
export interface ServedCall {
  readonly metadata: Metadata;
  getPeer(): string;
  getHost(): string;
  getPath(): string;
  getAuthContext(): AuthContext;
  once(event: string | symbol, listener: () => void): unknown;
}

/**
 * The life of one call. grpc-js emits `cancelled` also after a call that went well; only before
 * {@link finish} does it mean that nobody waits any more.
 */
export class CallLife implements CallContext {
  readonly #call: ServedCall;
  readonly #baseLog: Logger;
  readonly #abort = new AbortController();
  readonly peer: string;
  readonly peerHost: string;
  #log: Logger | undefined;
  #finished = false;

  constructor(call: ServedCall, log: Logger) {
    this.#call = call;
    this.#baseLog = log;
    [this.peer, this.peerHost] = readPeer(call.getPeer());
    call.once('cancelled', () =>
      this.#stop(status.CANCELLED, 'the call was cancelled or is past its deadline'),
    );
  }

  get metadata(): Metadata {
    return this.#call.metadata;
  }

  get peerName(): string {
    return certificateName(this.#call.getAuthContext());
  }

  get authority(): string {
    return this.#call.getHost();
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get log(): Logger {
    this.#log ??= this.#baseLog.child({ rpc: this.#call.getPath(), peer: this.peer });
    return this.#log;
  }

  /** Makes the call end when the server stops. Unary calls are let finish instead. */
  stopWithServer(): void {
    this.#call.once(serverStopping, () => this.#stop(status.UNAVAILABLE, 'the server is stopping'));
  }

  /** The call's status is settled: what comes after is no reason to stop anything. */
  finish(): void {
    this.#finished = true;
  }

  #stop(code: status, message: string): void {
    if (!this.#finished) this.#abort.abort(new RpcError(code, message));
  }
}

/** grpc-js writes an IPv6 peer without brackets: the port is what follows the last colon. */
function readPeer(text: string): [peer: string, host: string] {
  const colon = text.lastIndexOf(':');
  const port = Number(text.slice(colon + 1));
  if (colon === -1 || !Number.isInteger(port)) return ['unknown', ''];
  const host = unmapIp(text.slice(0, colon));
  return [formatHostPort(host, port), host];
}
