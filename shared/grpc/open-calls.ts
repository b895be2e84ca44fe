// The calls that a server has in hand, so that it can stop: it lets no more in, ends the streams, and knows
// when the last call is over.

import type { EventEmitter } from 'node:events';
import { type StatusObject, status, type UntypedServiceImplementation } from '@grpc/grpc-js';
import { serverStopping } from './context.js';
import { RpcError, toStatus } from './errors.js';

type Answer = (status: StatusObject) => void;

type Handler = (call: EventEmitter, answer?: Answer) => void;

export class OpenCalls {
  readonly #unary = new Map<EventEmitter, Answer>();
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
      tracked[name] = (call, answer) => {
        if (this.#stopping && (answer === undefined || !untilTheEnd)) refuse(call, answer);
        else Reflect.apply(handler, implementation, [call, this.#enter(call, answer)]);
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

  /** Ends the unary calls, too, with UNAVAILABLE; what their handlers answer later goes nowhere. */
  cut(): void {
    for (const [call, answer] of this.#unary) refuse(call, answer);
  }

  /** Resolves when no unary call is open. */
  unaryDone(): Promise<void> {
    return this.#when(() => this.#unary.size === 0);
  }

  /** Resolves when no stream is open. */
  streamsDone(): Promise<void> {
    return this.#when(() => this.#streams.size === 0);
  }

  /** @returns the means to answer the call, which works once; undefined for a stream */
  #enter(call: EventEmitter, answer: Answer | undefined): Answer | undefined {
    // grpc-js emits it at the end of every call, however it ended.
    call.once('cancelled', () => {
      this.#streams.delete(call);
      this.#unary.delete(call);
      this.#onChange();
    });
    if (answer === undefined) {
      this.#streams.add(call);
      return undefined;
    }
    let answered = false;
    const answerOnce: Answer = (...args) => {
      if (answered) return;
      answered = true;
      answer(...args);
    };
    this.#unary.set(call, answerOnce);
    return answerOnce;
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

function refuse(call: EventEmitter, answer: Answer | undefined): void {
  const refusal = toStatus(new RpcError(status.UNAVAILABLE, 'the server is stopping'));
  if (answer === undefined) call.emit('error', refusal);
  else answer(refusal);
}
