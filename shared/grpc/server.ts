// A gRPC server as every service of Slipway runs it: health and reflection on each listener, limits, and an
// orderly stop.

import type { Socket } from 'node:net';
import {
  Server,
  ServerCredentials,
  type ServerOptions,
  type ServiceDefinition,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { type Clock, systemClock } from '../clock.js';
import type { Logger } from '../logger.js';
import { formatHostPort, parseHostPort } from '../net/addresses.js';
import { roles } from '../tls/roles.js';
import { AccessByPath, type AccessTable, type Authenticator } from './access.js';
import { Gate, type GateOptions } from './gate.js';
import { Health } from './health.js';
import { Injectors } from './injectors.js';
import { openListener } from './listener.js';
import { OpenCalls } from './open-calls.js';
import { addReflection, serviceName } from './reflection.js';
import { Strangers } from './strangers.js';

export interface ServedService {
  readonly definition: ServiceDefinition;
  readonly implementation: UntypedServiceImplementation;
  /** Who may call each of its RPCs; it counts where there is an authenticator. */
  readonly access: AccessTable;
}

export interface StartServerOptions {
  /** `host:port`, IPv6 in brackets; port 0 takes any free port. */
  readonly listen: string;
  readonly services: readonly ServedService[];
  /** No TLS where absent. */
  readonly credentials?: ServerCredentials;
  /** Reads the roles of peers. Without it everybody may call everything; with it health alone is open. */
  readonly authenticator?: Authenticator;
  /** Instead of these, chooses for each connection; one that gets none is closed. */
  readonly credentialsFor?: (socket: Socket) => ServerCredentials | undefined;
  /**
   * Given each connection before anything was read from it.
   *
   * @returns whether it was taken away, to do with as the taker likes
   */
  readonly takesAway?: (socket: Socket) => boolean;
  readonly log: Logger;
  /** Whether the server tells what it serves. Default true. */
  readonly reflection?: boolean;
  /** What health says from the start. Default true. */
  readonly serving?: boolean;
  /** Over the defaults of {@link defaultServerOptions}. */
  readonly options?: ServerOptions;
  readonly clock?: Clock;
  /**
   * Connections in a handshake, or of peers that have shown no good certificate: when there are more, the oldest ones
   * of whoever has most are closed. Default 256 with an authenticator, else no limit.
   */
  readonly mostStrangers?: number;
  /** For a listener that thousands may come to at once; without it each connection is let in as it comes. */
  readonly gate?: Omit<GateOptions<Socket>, 'clock'>;
}

export interface RunningServer {
  /** Host as configured and port as bound. */
  readonly address: string;
  readonly port: number;
  /** What health says of the server and of each of its services. */
  setServing(serving: boolean): void;
  /**
   * Credentials that `credentialsFor` gave are of no more use: connections that were made with them have `graceMs`
   * to finish their calls.
   */
  release(credentials: ServerCredentials, graceMs: number): void;
  /** Resets the connections that are meant: their peers get an error, and calls that are open on them no answer. */
  reset(isMeant: (socket: Socket) => boolean): void;
  /** Closes the connections that are meant and open now after `graceMs`, whatever is open on them then. */
  cut(isMeant: (socket: Socket) => boolean, graceMs: number): void;
  /**
   * Stops: health says NOT_SERVING, no call is let in any more, streams end with UNAVAILABLE, unary calls
   * have `graceMs` to finish, and what is still open then is cut. Never rejects; safe to call twice.
   */
  stop(graceMs: number): Promise<void>;
}

const defaultServerOptions: Readonly<ServerOptions> = Object.freeze({
  'grpc.keepalive_time_ms': 20_000,
  'grpc.keepalive_timeout_ms': 10_000,
  // Each costs some 10 kB, and health is to be had by anybody.
  'grpc.max_concurrent_streams': 100,
  'grpc.max_receive_message_length': 4 << 20,
  // Not to be switched off: without it grpc-js forgets its sessions, and forceShutdown leaves them open.
  'grpc.enable_channelz': 1,
});

const defaultStrangers = 256;

/**
 * Starts a server.
 *
 * @throws ListenError where the address is taken, or is none of this machine; AddressError where it is none; Error
 *   where nobody has said who may call an RPC
 */
export async function startServer(options: StartServerOptions): Promise<RunningServer> {
  const { host } = parseHostPort(options.listen);
  const { services, log, clock = systemClock } = options;
  const { authenticator } = options;
  const access = new AccessByPath();
  const server = new Server({
    ...defaultServerOptions,
    ...options.options,
    interceptors: authenticator === undefined ? [] : [access.enforcedWith(authenticator, log)],
  });
  const calls = new OpenCalls();
  const health = new Health(
    services.map(({ definition }) => serviceName(definition)),
    options.serving ?? true,
  );
  for (const { definition, implementation, access: table } of services) {
    access.add(definition, table);
    server.addService(definition, calls.track(implementation));
  }
  access.addAll(health.addTo(server, calls), 'OPEN');
  if (options.reflection ?? true) {
    const served = services.map(({ definition }) => definition);
    for (const definition of addReflection(server, calls, served)) access.addAll(definition, roles);
  }
  const { mostStrangers = authenticator && defaultStrangers } = options;
  const strangers = mostStrangers === undefined ? undefined : new Strangers(mostStrangers);
  const injectors = new Injectors(server, clock, log, strangers);
  const ofAll = options.credentials ?? ServerCredentials.createInsecure();
  const { credentialsFor = () => ofAll } = options;
  // Those that cannot be used are told here, and not by the first connection.
  if (options.credentialsFor === undefined) injectors.prepare(ofAll);
  const letIn = (socket: Socket) => {
    if (options.takesAway?.(socket)) return;
    const credentials = credentialsFor(socket);
    if (credentials === undefined) socket.destroy();
    else injectors.inject(socket, credentials);
  };
  const gate = options.gate && new Gate<Socket>({ clock, ...options.gate }, letIn);
  const connected = gate === undefined ? letIn : (socket: Socket) => gate.enter(socket);
  const listener = await openListener(parseHostPort(options.listen), connected, log).catch((error) => {
    server.forceShutdown();
    throw error;
  });
  const { port } = listener;
  const address = formatHostPort(host, port);
  log.info({ address }, 'listening');

  let stopped: Promise<void> | undefined;
  return {
    address,
    port,
    setServing: (serving) => health.setServing(serving && stopped === undefined),
    release: (credentials, graceMs) => injectors.release(credentials, graceMs),
    reset: (isMeant) => injectors.reset(isMeant),
    cut: (isMeant, graceMs) => injectors.cut(isMeant, graceMs),
    stop: (graceMs) => {
      stopped ??= stop(graceMs);
      return stopped;
    },
  };

  async function stop(graceMs: number): Promise<void> {
    const end = clock.monotonic() + graceMs;
    const left = () => Math.max(end - clock.monotonic(), 0);
    health.setServing(false);
    calls.stop();
    // Only then may grpc-js drain: once it does, its keepalive cuts calls that are still active.
    await within(clock, left(), calls.unaryDone());
    calls.cut();
    await within(clock, Math.min(left(), streamGraceMs), calls.streamsDone());
    const closed = listener.close();
    gate?.close();
    server.tryShutdown(() => {});
    await within(clock, Math.min(Math.max(left(), leastCloseMs), closeGraceMs), closed);
    server.forceShutdown();
    injectors.close();
    log.debug({ address }, 'stopped listening');
  }
}

/** How long a stream may take to end once it was told to; a reader that stands still is not waited for. */
const streamGraceMs = 1000;

/** How long connections may take to close, and have to send what was answered last, at most and at least. */
const closeGraceMs = 1000;
const leastCloseMs = 100;

/** Resolves when the work is done or the time is over. */
function within(clock: Clock, ms: number, work: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const timer = clock.setTimer(ms, resolve);
    void work.then(() => {
      timer.cancel();
      resolve();
    });
  });
}
