// Unary calls as promises: always with a deadline, cancelled by a signal, failing with an RpcError.

import { type CallOptions, type ClientUnaryCall, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { type BackoffOptions, backoffMs } from '../backoff.js';
import { type Clock, sleep } from '../clock.js';
import type { Random } from '../random.js';
import { fromServiceError, RpcError } from './errors.js';

/** A method of a generated client, bound to it: `client.identify.bind(client)`. */
export type UnaryMethod<Req, Res> = (
  request: Req,
  metadata: Metadata,
  options: Partial<CallOptions>,
  callback: (error: ServiceError | null, response: Res) => void,
) => ClientUnaryCall;

export interface CallUnaryOptions {
  /** Milliseconds until the call fails with DEADLINE_EXCEEDED. */
  readonly timeoutMs: number;
  readonly metadata?: Metadata;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Makes one call, once.
 *
 * @throws RpcError with what the peer, or grpc-js, said; the signal's reason as soon as it is aborted
 */
export function callUnary<Req, Res>(
  invoke: UnaryMethod<Req, Res>,
  request: Req,
  options: CallUnaryOptions,
): Promise<Res> {
  const { signal } = options;
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = () => {
      reject(signal?.reason);
      call?.cancel();
    };
    const callback = (error: ServiceError | null, response: Res) => {
      signal?.removeEventListener('abort', onAbort);
      if (error === null) resolve(response);
      else reject(fromServiceError(error));
    };
    let call: ClientUnaryCall | undefined;
    try {
      const deadline = Date.now() + options.timeoutMs;
      call = invoke(request, options.metadata ?? new Metadata(), { deadline }, callback);
      signal?.addEventListener('abort', onAbort, { once: true });
    } catch (error) {
      reject(notStarted(error));
    }
  });
}

/** A client that was closed throws at once, so do arguments that it cannot take: nothing was sent. */
function notStarted(error: unknown): RpcError {
  const message = error instanceof Error ? error.message : String(error);
  return new RpcError(status.CANCELLED, `the call was not started: ${message}`, {
    neverConnected: true,
    cause: error,
  });
}

export interface RetryOptions {
  /** At least 1; Infinity where only the signal ends it. */
  readonly tries: number;
  readonly backoff: BackoffOptions;
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
  /** Which errors are worth another try; {@link isTransient} where absent. */
  readonly retryable?: (error: RpcError) => boolean;
}

/**
 * Tries until it works, with backoff between tries, and at least as long as the peer asked for. What is
 * repeated must be safe to repeat.
 *
 * @param attempt is given its number, from 1
 * @throws the last error; anything that is no RpcError at once; the signal's reason once it is aborted
 */
export async function retrying<T>(
  attempt: (attempt: number) => Promise<T>,
  options: RetryOptions,
): Promise<T> {
  const { signal, retryable = isTransient } = options;
  for (let number = 1; ; number++) {
    signal.throwIfAborted();
    try {
      return await attempt(number);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof RpcError) || number >= options.tries || !retryable(error)) throw error;
      const pause = backoffMs(number, options.backoff, options.random);
      await sleep(options.clock, Math.max(pause, error.retryAfterMs ?? 0), signal);
    }
  }
}

/** True for errors that pass by themselves: the peer is away, or asked to be tried again later. */
function isTransient(error: RpcError): boolean {
  switch (error.code) {
    case status.UNAVAILABLE:
    case status.DEADLINE_EXCEEDED:
      return true;
    case status.RESOURCE_EXHAUSTED:
    case status.ABORTED:
      return error.retryAfterMs !== undefined;
    default:
      return false;
  }
}
