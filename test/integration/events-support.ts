// What the tests of the event service have in common: the service over a log in memory, and clients that were made
// from the .proto files at run time, so that the wire is proved against the contract.

import {
  credentials,
  loadPackageDefinition,
  type ServerOptions,
  type ServiceClientConstructor,
  type ServiceError,
} from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { onTestFinished } from 'vitest';
import {
  type EventsService,
  provisioningEventService,
} from '../../services/provisioner/api/events-service.js';
import { systemClock } from '../../shared/clock.js';
import { serviceChannelOptions } from '../../shared/grpc/channel.js';
import { type RunningServer, startServer } from '../../shared/grpc/server.js';
import { silentLogger } from '../../shared/logger.js';
import { FakeEventLog } from '../fakes/fake-event-log.js';

export type Message = Record<string, unknown>;

/** What a client made from the .proto files calls. */
interface Methods {
  WatchEvents(request: Message): NodeJS.ReadableStream & { cancel(): void };
  ListEvents(request: Message, callback: (error: Error | null, response: Message) => void): void;
  close(): void;
}

const definition = loadSync('slipway/provisioner/v1/events.proto', {
  includeDirs: ['proto'],
  keepCase: true,
  enums: String,
  longs: Number,
  defaults: true,
  oneofs: true,
});

export interface EventSite {
  readonly log: FakeEventLog;
  readonly service: EventsService;
  readonly server: RunningServer;
}

/** Serves a log in memory until the test is over. @param listen default any port of loopback */
export async function serveEvents(options: ServerOptions = {}, listen = '127.0.0.1:0'): Promise<EventSite> {
  const log = new FakeEventLog();
  const service = provisioningEventService({ events: log, clock: systemClock, log: silentLogger() });
  const server = await startServer({
    listen,
    services: [service],
    log: silentLogger(),
    options,
  });
  onTestFinished(async () => {
    await server.stop(0);
    service.close();
  });
  return { log, service, server };
}

/** A client with a connection of its own. */
export function eventsClient(address: string) {
  const path = 'slipway.provisioner.v1.ProvisioningEventService'.split('.');
  const packages: unknown = loadPackageDefinition(definition);
  const Client = path.reduce((scope, name) => (scope as Message)[name], packages) as ServiceClientConstructor;
  const client = new Client(address, credentials.createInsecure(), serviceChannelOptions);
  onTestFinished(() => client.close());
  const methods = client as unknown as Methods;
  return {
    list: (request: Message = {}) =>
      new Promise<Message>((resolve, reject) => {
        methods.ListEvents(request, (error, response) =>
          error === null ? resolve(response) : reject(error),
        );
      }),
    watch: (request: Message = {}) => new EventWatch(methods.WatchEvents(request)),
  };
}

/** One open watch, and what it received. */
class EventWatch {
  readonly received: Message[] = [];
  /** The same in words: the numbers of events, `=3` for a bookmark, `GAP_REASON_RETENTION 1-3`. */
  readonly told: string[] = [];
  readonly ended: Promise<ServiceError | undefined>;
  readonly #events: HeardEvent[] = [];
  #logId = '';
  readonly #stream: ReturnType<Methods['WatchEvents']>;
  #wake: () => void = () => {};

  constructor(stream: ReturnType<Methods['WatchEvents']>) {
    this.#stream = stream;
    stream.on('data', (message: Message) => {
      this.received.push(message);
      this.told.push(...inWords(message));
      const { events } = message as unknown as Wire;
      this.#events.push(...(events?.events ?? []));
      this.#logId = events?.log_id ?? this.#logId;
      this.#wake();
    });
    this.ended = new Promise((resolve) => {
      stream.on('error', (error) => resolve(error as ServiceError));
      stream.on('end', () => resolve(undefined));
    });
    onTestFinished(() => stream.cancel());
  }

  cancel(): void {
    this.#stream.cancel();
  }

  /** Waits until an event of a type came. @returns the events that came by then */
  async until(type: string): Promise<readonly HeardEvent[]> {
    while (!this.#events.some((event) => event.type === type)) {
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    return this.#events;
  }

  /** Of the last event that came. */
  position(): { readonly log_id: string; readonly last: number } {
    return { log_id: this.#logId, last: this.#events.at(-1)?.sequence ?? 0 };
  }

  pause(): void {
    this.#stream.pause();
  }

  resume(): void {
    this.#stream.resume();
  }

  /** Waits until so much was told; a test that waits in vain runs into its timeout. */
  async count(count: number): Promise<readonly string[]> {
    while (this.told.length < count) await new Promise<void>((resolve) => (this.#wake = resolve));
    return this.told;
  }
}

export interface HeardEvent {
  readonly sequence: number;
  readonly type: string;
  readonly identity: string;
  readonly run_id: string;
}

interface Wire {
  readonly events?: { readonly log_id: string; readonly events: readonly HeardEvent[] };
  readonly bookmark?: { readonly position: { readonly sequence: number } };
  readonly gap?: { readonly first: number; readonly last: number; readonly reason: string };
}

function inWords(received: Message): string[] {
  const { events, bookmark, gap } = received as unknown as Wire;
  if (events) return events.events.map(({ sequence }) => String(sequence));
  if (bookmark) return [`=${bookmark.position.sequence}`];
  return [`${gap?.reason} ${gap?.first}-${gap?.last}`];
}
