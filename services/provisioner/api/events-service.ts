// What other services ask about what happened (design, section 10): slipway.provisioner.v1.ProvisioningEventService.

import { status } from '@grpc/grpc-js';
import type { Clock } from '../../../shared/clock.js';
import {
  type ListEventsRequest,
  ProvisioningEventServiceService,
  type WatchEventsRequest,
} from '../../../shared/gen/slipway/provisioner/v1/events.js';
import { RpcError } from '../../../shared/grpc/errors.js';
import { serverStream, unary } from '../../../shared/grpc/handler.js';
import type { ServedService } from '../../../shared/grpc/server.js';
import type { Logger } from '../../../shared/logger.js';
import { Turns } from '../../../shared/turns.js';
import { StoreError } from '../events/log/store.js';
import type { EventLogReader } from '../events/watch/log-reader.js';
import { eventsAccess } from './access.js';
import { listEvents } from './list-events.js';
import { EventWatches } from './watch-events.js';

export interface EventsServiceOptions {
  readonly events: EventLogReader;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface EventsService extends ServedService {
  /** Watches that are open. */
  readonly subscribers: number;
  close(): void;
}

const asItIs = (bytes: Buffer) => bytes;

/** The service, but that its answers are written as bytes: events go out as they are in the log. */
const definition = {
  watchEvents: { ...ProvisioningEventServiceService.watchEvents, responseSerialize: asItIs },
  listEvents: { ...ProvisioningEventServiceService.listEvents, responseSerialize: asItIs },
} as const;

/** Makes the service. */
export function provisioningEventService(options: EventsServiceOptions): EventsService {
  const { events, clock, log } = options;
  const turns = new Turns(clock);
  const watches = new EventWatches({ log: events, clock, turns });
  return {
    definition,
    implementation: {
      watchEvents: serverStream<WatchEventsRequest, Buffer>(
        log,
        (request, { signal }, write) => toldToCaller(() => watches.serve(request, signal, write)),
        { ahead: false },
      ),
      listEvents: unary(log, (request: ListEventsRequest, { signal }) =>
        toldToCaller(() => listEvents({ log: events, turns }, request, signal)),
      ),
    },
    access: eventsAccess,
    get subscribers() {
      return watches.open;
    },
    close: () => watches.close(),
  };
}

const unreadable = 'the event log cannot be read at this moment: try again';

/** For a moment nothing can be read: after a write that failed, the log's file is opened anew. */
async function toldToCaller<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    const told = { reason: 'LOG_UNREADABLE', retryAfterMs: 1000, cause: error };
    throw new RpcError(status.UNAVAILABLE, unreadable, told);
  }
}
