// The calls that a server has in hand, so that it can stop: it lets no more in, ends the streams, and knows
// when the last call is over.

import type { EventEmitter } from 'node:events';
import { type StatusObject, status, type UntypedServiceImplementation } from '@grpc/grpc-js';
import { serverStopping } from './context.js';
import { RpcError, toStatus } from './errors.js';

type Handler = (call: EventEmitter, callback?: (refusal: StatusObject) => void) => void;

export class OpenCalls {
  readonly #unary = new Set<EventEmitter>();
  readonly #streams = new Set<EventEmitter>();
  #stopping = false;
  #onChange: () => void = () => {};

  /**
   * Makes an implementation whose calls are counted here.
   *
   * @param untilTheEnd true where calls are let in even while the server stops, as health checks are
   */
  track(implementation: object, untilTheEnd = false): UntypedServiceImplementation {
    const tracked: Record<string, Handler> = {};
    for (const [name, handler] of Object.entries(implementation)) {
      tracked[name] = (call, callback) => {
        const stream = callback === undefined;
        if (this.#stopping && (stream || !untilTheEnd)) {
          refuse(call, callback);
          return;
        }
        this.#enter(call, stream ? this.#streams : this.#unary);
        Reflect.apply(handler, implementation, [call, callback]);
      };
    }
    return tracked as unknown as UntypedServiceImplementation;
  }

  /** Lets nothing in any more and ends the streams with UNAVAILABLE. Unary calls go on to their end. */
  stop(): void {
    this.#stopping = true;
    for (const call of this.#streams) {
      if (!call.emit(serverStopping)) refuse(call, undefined);
    }
  }

  /** Resolves when no unary call is open. */
  unaryDone(): Promise<void> {
    return this.#when(() => this.#unary.size === 0);
  }

  /** Resolves when no stream is open. */
  streamsDone(): Promise<void> {
    return this.#when(() => this.#streams.size === 0);
  }

  #enter(call: EventEmitter, calls: Set<EventEmitter>): void {
    calls.add(call);
    // grpc-js emits it at the end of every call, however it ended.
    call.once('cancelled', () => {
      calls.delete(call);
      this.#onChange();
    });
  }

  #when(condition: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#onChange = () => {
        if (condition()) resolve();
      };
      this.#onChange();
    });
  }
}

function refuse(call: EventEmitter, callback: ((refusal: StatusObject) => void) | undefined): void {
  const refusal = toStatus(new RpcError(status.UNAVAILABLE, 'the server is stopping'));
  if (callback === undefined) call.emit('error', refusal);
  else callback(refusal);
}
