// Where the nodes are reached. One listener serves a single node, or a swarm whose nodes are dialled at
// loopback addresses of their own: the authority of a call then says which node is meant. Otherwise each node
// has a port of its own. With TLS each connection is served with the certificate of the boot that is up where it came
// to, and is closed a while after that boot is over.

import type { Socket } from 'node:net';
import type { ServerCredentials } from '@grpc/grpc-js';
import { NodeAgentServiceService } from '../../../shared/gen/slipway/node/v1/node.js';
import { type RunningServer, startServer } from '../../../shared/grpc/server.js';
import type { Logger } from '../../../shared/logger.js';
import { formatHostPort, parseHostPort, unmapIp } from '../../../shared/net/addresses.js';
import type { ServedAgent } from '../agent/served-agent.js';
import { agentAccess } from '../api/access.js';
import { GarbledReplies } from '../api/garbled.js';
import { createNodeAgentApi, type NodeAgentApiOptions } from '../api/service.js';
import type { Effect, FaultedRpc } from '../faults/fault.js';
import type { Injection, Victim } from '../faults/injection.js';
import { DeadConnections } from '../personas/dead-connections.js';
import type { Connections } from '../personas/persona.js';
import { loopbackIndex } from './names.js';

/** SINGLE: one node, at any address. */
export type Addressing = 'SINGLE' | 'LOOPBACK' | 'PORTS';

export interface ListenersOptions {
  readonly addressing: Addressing;
  /** host:port; with PORTS, the first of consecutive ports, or 0 for any that are free. */
  readonly listen: string;
  readonly nodes: number;
  /** @returns the agent of the node of this index; undefined where it is down */
  readonly agentOf: (index: number) => ServedAgent | undefined;
  readonly tls: boolean;
  /** @returns what the node of this index serves with; undefined where it is down */
  readonly credentialsOf: (index: number) => ServerCredentials | undefined;
  readonly injection: Injection;
  /** Called once for each call to the node of this index. @returns what befalls it */
  readonly strike: (index: number, rpc: FaultedRpc) => readonly Effect[];
  /** @returns what becomes of connections to the node of this index */
  readonly connectionsOf: (index: number) => Connections;
  /** Crashes the node of this index; what it has answered has `graceMs` to get through. */
  readonly crash: (index: number, graceMs: number) => void;
  readonly onCall: NodeAgentApiOptions['onCall'];
  readonly onProofRefused: NodeAgentApiOptions['onProofRefused'];
  readonly log: Logger;
}

export interface Listeners {
  /** Of the only listener, or the first. */
  readonly address: string;
  /** @returns the port at which the node of this index is reached */
  portOf(index: number): number;
  /** Closes the connections that are open to the node of this index now, after `graceMs`. */
  cut(index: number, graceMs: number): void;
  /** Credentials are of no more use: calls on connections that were made with them have a while to finish. */
  release(credentials: ServerCredentials): void;
  stop(graceMs: number): Promise<void>;
}

/** Agents take a Configure of up to 16 MiB (design, section 3). */
const largestRequest = 16 << 20;

/** How long calls of a boot that is over have to finish: milliseconds. */
const lastCallsMs = 1_000;

/** How many listeners are opened at once. */
const openedAtOnce = 64;

/**
 * Starts to listen. Nothing is left open where it fails.
 *
 * @throws ListenError where an address cannot be listened on
 */
export async function startListeners(options: ListenersOptions): Promise<Listeners> {
  const dead = new DeadConnections();
  const servers =
    options.addressing === 'PORTS' ? await listenOnPorts(options, dead) : [await listenOnOne(options, dead)];
  const nodeAt = options.addressing === 'LOOPBACK' ? loopbackIndex : undefined;
  const [first] = servers;
  if (first === undefined) throw new Error('there is no node to listen for');
  return {
    address: first.address,
    portOf: (index) => (servers[index] ?? first).port,
    cut: (index, graceMs) => {
      const isOpenTo = (socket: Socket) => nodeAt === undefined || nodeAt(ownHostOf(socket)) === index;
      (servers[index] ?? first).cut(isOpenTo, graceMs);
    },
    release: (credentials) => {
      for (const server of servers) server.release(credentials, lastCallsMs);
    },
    stop: async (graceMs) => {
      dead.close();
      await Promise.all(servers.map((server) => server.stop(graceMs)));
    },
  };
}

/** Which node is meant where several share a listener; undefined where none is. */
type NodeAt = (host: string) => number | undefined;

function listenOnOne(options: ListenersOptions, dead: DeadConnections): Promise<RunningServer> {
  const nodeAt: NodeAt = options.addressing === 'SINGLE' ? () => 0 : loopbackIndex;
  return serve(options, dead, options.listen, nodeAt, options.log);
}

async function listenOnPorts(options: ListenersOptions, dead: DeadConnections): Promise<RunningServer[]> {
  const { host, port } = parseHostPort(options.listen);
  // Thousands of listeners need not each say that they listen.
  const log = options.log.child({}, { level: 'warn' });
  const servers: RunningServer[] = [];
  try {
    for (let next = 0; next < options.nodes; next += openedAtOnce) {
      const count = Math.min(openedAtOnce, options.nodes - next);
      const opened = await Promise.allSettled(
        Array.from({ length: count }, (_, offset) => {
          const index = next + offset;
          const listen = formatHostPort(host, port === 0 ? 0 : port + index);
          return serve(options, dead, listen, () => index, log);
        }),
      );
      for (const result of opened) if (result.status === 'fulfilled') servers.push(result.value);
      for (const result of opened) if (result.status === 'rejected') throw result.reason;
    }
  } catch (error) {
    await Promise.all(servers.map((server) => server.stop(0)));
    throw error;
  }
  return servers;
}

async function serve(
  options: ListenersOptions,
  dead: DeadConnections,
  listen: string,
  nodeAt: NodeAt,
  log: Logger,
): Promise<RunningServer> {
  const { agentOf, credentialsOf, tls } = options;
  const agentAt = (authority: string) => at(hostOf(authority), agentOf);
  const credentialsFor = (socket: Socket) => at(ownHostOf(socket), credentialsOf);
  const garbled = new GarbledReplies();
  const garble = (reply: object) => garbled.add(reply);
  const server: RunningServer = await startServer({
    listen,
    services: [
      {
        definition: garbled.servedAs(NodeAgentServiceService),
        implementation: createNodeAgentApi({ ...options, agentAt, victimOf, garble }),
        access: agentAccess,
      },
    ],
    ...(tls && { credentialsFor }),
    takesAway: (socket) => dead.take(socket, at(ownHostOf(socket), options.connectionsOf) ?? 'SERVED'),
    log,
    options: { 'grpc.max_receive_message_length': largestRequest },
  });
  return server;

  /** A port of a peer may be in use for connections to several nodes. */
  function victimOf(authority: string, peer: string): Victim {
    const host = hostOf(authority);
    const isItsOwn = (socket: Socket) =>
      peerOf(socket) === peer && nodeAt(ownHostOf(socket)) === nodeAt(host);
    return {
      strike: (rpc) => at(host, (index) => options.strike(index, rpc)) ?? [],
      reset: () => server.reset(isItsOwn),
      crash: (graceMs) => at(host, (index) => options.crash(index, graceMs)),
    };
  }

  function at<T>(host: string, of: (index: number) => T | undefined): T | undefined {
    const index = nodeAt(host);
    return index === undefined ? undefined : of(index);
  }
}

function hostOf(authority: string): string {
  return authority.slice(0, authority.lastIndexOf(':'));
}

/** The address of this machine that a connection has come to. */
function ownHostOf({ localAddress = '' }: Socket): string {
  return unmapIp(localAddress);
}

/** The other end of a connection, as a call has it. */
function peerOf({ remoteAddress = '', remotePort = 0 }: Socket): string {
  return formatHostPort(unmapIp(remoteAddress), remotePort);
}
