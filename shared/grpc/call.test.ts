import { type ClientUnaryCall, Metadata, status } from '@grpc/grpc-js';
import { expect, test, vi } from 'vitest';
import { FakeClock } from '../../test/fakes/fake-clock.js';
import { callUnary, type RetryOptions, retrying, type UnaryMethod } from './call.js';
import { RpcError } from './errors.js';

function options(clock: FakeClock, overrides: Partial<RetryOptions> = {}): RetryOptions {
  return {
    tries: 3,
    backoff: { initialMs: 100, maxMs: 1000, jitter: [1, 1] },
    clock,
    random: () => 0.5,
    signal: new AbortController().signal,
    ...overrides,
  };
}

const unavailable = new RpcError(status.UNAVAILABLE, 'away');

test('a call that throws at once, as on a closed client, is an RpcError that was never sent', async () => {
  const invoke: UnaryMethod<object, object> = () => {
    throw new Error('Channel has been shut down');
  };
  await expect(callUnary(invoke, {}, { timeoutMs: 1000 })).rejects.toMatchObject({
    name: 'RpcError',
    message: 'the call was not started: Channel has been shut down',
    neverConnected: true,
  });
});

test('an aborted signal cancels the call and is the reason at once', async () => {
  const controller = new AbortController();
  const cancel = vi.fn();
  const invoke: UnaryMethod<object, object> = () => ({ cancel }) as unknown as ClientUnaryCall;
  const call = callUnary(invoke, {}, { timeoutMs: 1000, signal: controller.signal });
  controller.abort(new Error('superseded'));
  await expect(call).rejects.toThrow('superseded');
  expect(cancel).toHaveBeenCalledOnce();
});

test('a signal that was aborted before makes no call', async () => {
  const invoke = vi.fn<UnaryMethod<object, object>>();
  const signal = AbortSignal.abort(new Error('paused'));
  await expect(callUnary(invoke, {}, { timeoutMs: 1000, signal })).rejects.toThrow('paused');
  expect(invoke).not.toHaveBeenCalled();
});

test('every call has a deadline and takes the metadata that it is given', async () => {
  const metadata = new Metadata();
  const invoke: UnaryMethod<string, string> = (request, given, { deadline }, callback) => {
    expect(given).toBe(metadata);
    expect(Number(deadline) - Date.now()).toBeGreaterThan(4000);
    callback(null, request);
    return {} as ClientUnaryCall;
  };
  expect(await callUnary(invoke, 'echo', { timeoutMs: 5000, metadata })).toBe('echo');
});

test('a try that failed is repeated after growing pauses', async () => {
  const clock = new FakeClock();
  const at: number[] = [];
  const result = retrying(async (attempt) => {
    at.push(clock.monotonic());
    if (attempt < 3) throw unavailable;
    return attempt;
  }, options(clock));
  await clock.advance(1000);
  expect(await result).toBe(3);
  expect(at).toEqual([0, 100, 300]);
});

test('the last error is the one that is told', async () => {
  const clock = new FakeClock();
  const result = retrying(async (attempt) => {
    throw new RpcError(status.UNAVAILABLE, `try ${attempt}`);
  }, options(clock));
  const failed = expect(result).rejects.toThrow('try 3');
  await clock.advance(10_000);
  await failed;
});

test('the peer is given the time that it asked for', async () => {
  const clock = new FakeClock();
  const at: number[] = [];
  const result = retrying(async (attempt) => {
    at.push(clock.monotonic());
    if (attempt === 1) throw new RpcError(status.RESOURCE_EXHAUSTED, 'later', { retryAfterMs: 700 });
  }, options(clock));
  await clock.advance(1000);
  await result;
  expect(at).toEqual([0, 700]);
});

test.each([
  ['a final code', new RpcError(status.INVALID_ARGUMENT, 'no')],
  ['exhaustion without a time', new RpcError(status.RESOURCE_EXHAUSTED, 'no')],
  ['an error that is no RpcError', new TypeError('no')],
])('%s is not tried again', async (_what, error) => {
  const attempt = vi.fn(() => Promise.reject(error));
  await expect(retrying(attempt, options(new FakeClock()))).rejects.toBe(error);
  expect(attempt).toHaveBeenCalledOnce();
});

test('an abort ends the pause between tries', async () => {
  const clock = new FakeClock();
  const controller = new AbortController();
  const result = retrying(() => Promise.reject(unavailable), options(clock, { signal: controller.signal }));
  const failed = expect(result).rejects.toThrow('stopping');
  await clock.advance(50);
  controller.abort(new Error('stopping'));
  await failed;
  expect(clock.pendingTimers).toBe(0);
});
