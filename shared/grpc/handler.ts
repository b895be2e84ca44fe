// The one way in which RPCs are served: an async function that returns or throws. It is answered exactly
// once, is told when to stop, and what it throws becomes a status.

import type { EventEmitter } from 'node:events';
import {
  type handleServerStreamingCall,
  type handleUnaryCall,
  type ServerWritableStream,
  type StatusObject,
  status,
} from '@grpc/grpc-js';
import type { Logger } from '../logger.js';
import { type CallContext, CallLife } from './context.js';
import { RpcError, toStatus } from './errors.js';

export type { CallContext } from './context.js';

/**
 * Serves a unary RPC.
 *
 * @param handle throws RpcError for what the caller is to know; anything else is logged and shown to the
 * caller as INTERNAL "internal error"
 */
export function unary<Req, Res>(
  log: Logger,
  handle: (request: Req, context: CallContext) => Res | Promise<Res>,
): handleUnaryCall<Req, Res> {
  return (call, callback) => {
    const life = new CallLife(call, log);
    const run = async () => handle(call.request, life);
    run().then(
      (response) => {
        life.finish();
        callback(null, response);
      },
      (error: unknown) => {
        life.finish();
        report(error, life);
        callback(toStatus(error));
      },
    );
  };
}

export interface StreamOptions {
  /**
   * Whether messages may wait for a slow reader. Default true: 16 of them, so that many small ones go out together.
   * False where each is large: then the next may be written once one has left for the reader.
   */
  readonly ahead?: boolean;
}

/**
 * Serves a server stream, which ends well when `handle` returns.
 *
 * @param handle is given `write`, which resolves when the next message may be written and rejects with the
 * signal's reason once the client is gone or the server stops: a slow reader makes it wait
 */
export function serverStream<Req, Res>(
  log: Logger,
  handle: (request: Req, context: CallContext, write: (message: Res) => Promise<void>) => Promise<void>,
  { ahead = true }: StreamOptions = {},
): handleServerStreamingCall<Req, Res> {
  return (call) => {
    const life = new CallLife(call, log);
    life.stopWithServer();
    const write = (message: Res) => writeTo(call, message, life.signal, ahead);
    const run = async () => handle(call.request, life, write);
    run().then(
      () => {
        life.finish();
        call.end();
      },
      (error: unknown) => {
        life.finish();
        report(error, life);
        call.emit('error', toStatus(error));
      },
    );
  };
}

/** A stream says that it is full when 16 messages wait; more would cost memory and gain no speed. */
function writeTo<Res>(
  call: ServerWritableStream<unknown, Res>,
  message: Res,
  signal: AbortSignal,
  ahead: boolean,
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const onDone = () => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    };
    const onAbort = () => {
      call.off('drain', onDone);
      reject(signal.reason);
    };
    const isFull = !call.write(message, ahead ? undefined : onDone);
    if (ahead && !isFull) {
      resolve();
      return;
    }
    if (ahead) call.once('drain', onDone);
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

/** What a client did, or was told, is its matter; what nobody planned is ours. */
function report(error: unknown, life: CallLife): void {
  if (error instanceof RpcError) {
    life.log.debug({ code: status[error.code], reason: error.reason }, error.message);
  } else {
    life.log.error({ err: error }, 'handler failed');
  }
}

/**
 * Answers an RPC, of either kind, that this version does not serve.
 *
 * @param what the RPC, as a caller knows it
 */
export function unimplemented(
  what: string,
): (call: EventEmitter, callback?: (refusal: StatusObject) => void) => void {
  return (call, callback) => {
    const refusal = toStatus(new RpcError(status.UNIMPLEMENTED, `${what} is not served by this version`));
    if (callback === undefined) call.emit('error', refusal);
    else callback(refusal);
  };
}
