// Follows the events of a provisioner: comes back by itself after a loss, and goes on where it was.

import { type ServiceError, status } from '@grpc/grpc-js';
import { backoffMs } from '../../shared/backoff.js';
import type {
  Event,
  EventFilter,
  Gap,
  LogPosition,
  ProvisioningEventServiceClient,
  WatchEventsRequest,
  WatchEventsResponse,
} from '../../shared/gen/slipway/provisioner/v1/events.js';
import { fromServiceError, RpcError } from '../../shared/grpc/errors.js';
import type { Connection } from '../connection/connect.js';
import { failureOf } from '../connection/failure.js';

export type Start = NonNullable<WatchEventsRequest['start']>;

/** What a watch gives, in the order in which it came. */
export interface Watcher {
  events(logId: string, events: readonly Event[]): void;
  gap(gap: Gap): void;
  /** The connection is lost; it is tried again. */
  lost(why: string): void;
  /** It stands again. */
  back(): void;
  /** The watch has come to here. @returns true where that is enough */
  reached(position: LogPosition): boolean;
}

export interface WatchOptions {
  readonly start: Start;
  readonly filter: EventFilter;
  readonly watcher: Watcher;
  /** Waited for before more is taken; undefined where that need not be. */
  readonly room: () => Promise<void> | undefined;
  /** Ends the watch, in good order. */
  readonly stop: AbortSignal;
}

const backoff = { initialMs: 250, maxMs: 5_000 };

/**
 * @returns the place that it came to; undefined where it came to none
 * @throws CommandError where it cannot start, or cannot go on
 */
export async function watchEvents(
  connection: Connection<ProvisioningEventServiceClient>,
  options: WatchOptions,
): Promise<LogPosition | undefined> {
  const { watcher, stop } = options;
  const progress: Progress = { position: undefined, done: false };
  for (let failures = 0; ; ) {
    const stands = () => {
      if (failures > 0) watcher.back();
      failures = 0;
    };
    const error = await watchOnce(connection, options, progress, stands);
    if (progress.done || stop.aborted) return progress.position;
    if (progress.position === undefined || !mayPass(error)) throw failureOf(error, connection.target);
    if (failures === 0) watcher.lost(failureOf(error, connection.target).message);
    failures++;
    await pause(backoffMs(failures, backoff, Math.random), stop);
    if (stop.aborted) return progress.position;
  }
}

interface Progress {
  position: LogPosition | undefined;
  done: boolean;
}

/** One stream, from where the watch is to its end. @returns why it ended */
function watchOnce(
  { client, target }: Connection<ProvisioningEventServiceClient>,
  { start, filter, watcher, room, stop }: WatchOptions,
  progress: Progress,
  stands: () => void,
): Promise<RpcError> {
  const from: Start = progress.position === undefined ? start : { $case: 'after', value: progress.position };
  return new Promise((resolve) => {
    const stream = client.watchEvents({ start: from, filter });
    // The first message of a watch is there at once; one that does not come within the time never will.
    const timer = setTimeout(
      () => end(new RpcError(status.DEADLINE_EXCEEDED, 'no answer')),
      target.timeoutMs,
    );
    const end = (error: RpcError) => {
      clearTimeout(timer);
      stop.removeEventListener('abort', onStop);
      resolve(error);
      stream.cancel();
    };
    const onStop = () => end(new RpcError(status.CANCELLED, 'stopped'));
    stop.addEventListener('abort', onStop, { once: true });
    stream.on('data', (response: WatchEventsResponse) => {
      if (progress.done || stop.aborted) return;
      clearTimeout(timer);
      stands();
      take(response, watcher, progress);
      if (progress.done) {
        end(new RpcError(status.CANCELLED, 'done'));
        return;
      }
      const wait = room();
      if (wait === undefined) return;
      stream.pause();
      void wait.then(() => stream.resume());
    });
    stream.on('error', (error: ServiceError) => end(fromServiceError(error)));
    stream.on('end', () => end(new RpcError(status.UNAVAILABLE, 'the provisioner ended the watch')));
    if (stop.aborted) onStop();
  });
}

function take({ message }: WatchEventsResponse, watcher: Watcher, progress: Progress): void {
  switch (message?.$case) {
    case 'events': {
      const { logId, events } = message.value;
      watcher.events(logId, events);
      const last = events.at(-1);
      if (last !== undefined) arrive({ logId, sequence: last.sequence }, watcher, progress);
      break;
    }
    case 'gap': {
      const { logId, last } = message.value;
      watcher.gap(message.value);
      // Of a log that is no more nobody can say where it ended: the next message has a place in the new one.
      if (last > 0n) arrive({ logId, sequence: last }, watcher, progress);
      break;
    }
    case 'bookmark':
      if (message.value.position !== undefined) arrive(message.value.position, watcher, progress);
  }
}

function arrive(position: LogPosition, watcher: Watcher, progress: Progress): void {
  progress.position = position;
  if (watcher.reached(position)) progress.done = true;
}

/** Whether trying again may help. What the provisioner refuses, it will refuse again. */
function mayPass({ code }: RpcError): boolean {
  switch (code) {
    case status.UNAVAILABLE:
    case status.DEADLINE_EXCEEDED:
    case status.RESOURCE_EXHAUSTED:
    case status.ABORTED:
    case status.INTERNAL:
    case status.UNKNOWN:
    case status.CANCELLED:
      return true;
    default:
      return false;
  }
}

/** Keeps the process alive, unlike the clock of services. */
function pause(ms: number, stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      stop.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    stop.addEventListener('abort', done, { once: true });
    if (stop.aborted) done();
  });
}
