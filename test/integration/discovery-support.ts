// What the tests of discovery have in common: the real service on free ports, agents that answer Identify, and
// clients, all gone when the test is.

import { connect, createServer } from 'node:net';
import {
  type ChannelCredentials,
  type ClientReadableStream,
  credentials,
  Metadata,
  type ServiceError,
} from '@grpc/grpc-js';
import { onTestFinished } from 'vitest';
import { createApp, type DiscoveryApp } from '../../services/discovery/app.js';
import { discoverySchema } from '../../services/discovery/config.js';
import type { Surroundings } from '../../services/discovery/discovery.js';
import {
  NodeDiscoveryServiceClient,
  NodeEventType,
  type WatchNodesRequest,
  type WatchNodesResponse,
} from '../../shared/gen/slipway/discovery/v1/discovery.js';
import {
  NodeRegistryServiceClient,
  NodeReport,
  type ReportResponse,
  ReportType,
} from '../../shared/gen/slipway/discovery/v1/registry.js';
import { type IdentifyResponse, NodeAgentServiceService } from '../../shared/gen/slipway/node/v1/node.js';
import { callUnary } from '../../shared/grpc/call.js';
import { serviceChannelOptions } from '../../shared/grpc/channel.js';
import { unary, unimplemented } from '../../shared/grpc/handler.js';
import { type RunningServer, startServer } from '../../shared/grpc/server.js';
import { newBootId } from '../../shared/identity.js';
import { type Logger, silentLogger } from '../../shared/logger.js';
import { parseHostPort } from '../../shared/net/addresses.js';
import { fixedServerCredentials } from '../../shared/tls/server-credentials.js';
import type { TestCertificate } from '../fakes/certificates.js';
import { signed } from './discovery-site.js';
import { open } from './grpc-support.js';

const loopback = { trust_advertised_host: true, node_networks: ['127.0.0.0/8'] } as const;

/** Starts discovery on free ports of loopback, where nodes are allowed, with `settings` over its defaults. */
export async function startDiscovery(
  settings: Readonly<Record<string, unknown>> = {},
  log: Logger = silentLogger(),
  overrides: Partial<Surroundings> = {},
): Promise<DiscoveryApp> {
  const config = discoverySchema.parse({
    listen: '127.0.0.1:0',
    listen_nodes: '127.0.0.1:0',
    monitor_host: '127.0.0.1',
    monitor_port: 0,
    tls: { mode: 'insecure' },
    shutdown_grace: '5s',
    ...loopback,
    ...settings,
  });
  const app = await createApp(config, log, overrides);
  onTestFinished(() => app.stop());
  return app;
}

/** @param channel without TLS where absent */
export function registryClient(
  app: DiscoveryApp,
  channel: ChannelCredentials = credentials.createInsecure(),
): NodeRegistryServiceClient {
  const client = new NodeRegistryServiceClient(app.addresses.nodes, channel, serviceChannelOptions);
  onTestFinished(() => client.close());
  return client;
}

/** @param channel without TLS where absent */
export function discoveryClient(
  app: DiscoveryApp,
  channel: ChannelCredentials = credentials.createInsecure(),
): NodeDiscoveryServiceClient {
  const client = new NodeDiscoveryServiceClient(app.addresses.consumers, channel, serviceChannelOptions);
  onTestFinished(() => client.close());
  return client;
}

/** What a node shows of itself with its reports. */
export interface Shown {
  /** That of its boot, which it signs with. */
  readonly certificate?: TestCertificate | undefined;
  /** Its provisioning token. */
  readonly token?: string | undefined;
}

/** The reports of one boot of a node. */
export class Reporter {
  bootId = newBootId();
  readonly identity: string;
  readonly port: number;
  readonly host: string;
  sequence = 0n;
  shown: Shown;
  readonly #client: NodeRegistryServiceClient;

  constructor(
    client: NodeRegistryServiceClient,
    identity: string,
    port: number,
    host = '127.0.0.1',
    shown: Shown = {},
  ) {
    this.#client = client;
    this.shown = shown;
    this.identity = identity;
    this.port = port;
    this.host = host;
  }

  /** @throws RpcError */
  report(type: keyof typeof ReportType, over: Partial<NodeReport> = {}): Promise<ReportResponse> {
    return this.send(
      NodeReport.encode({
        eventId: newBootId(),
        type: ReportType[type],
        identity: this.identity,
        component: '',
        version: '1.0.0',
        time: new Date(),
        bootId: this.bootId,
        sequence: ++this.sequence,
        port: this.port,
        host: this.host,
        labels: {},
        runId: '',
        configurationDigest: Buffer.of(),
        ...over,
      }).finish(),
    );
  }

  /** Sends any bytes. @throws RpcError */
  send(report: Uint8Array): Promise<ReportResponse> {
    const { certificate, token } = this.shown;
    const metadata = new Metadata();
    if (token !== undefined) metadata.set('authorization', `Bearer ${token}`);
    const request = signed(Buffer.from(report), certificate);
    return callUnary(this.#client.report.bind(this.#client), request, { timeoutMs: 10_000, metadata });
  }
}

/** The bytes of a report, without sending it. */
export async function captured(
  node: Reporter,
  type: keyof typeof ReportType = 'STARTUP',
): Promise<Uint8Array> {
  let bytes: Uint8Array = Buffer.of();
  const send = node.send.bind(node);
  node.send = async (report) => {
    bytes = report;
    return { leaseTtl: undefined, nextReportIn: undefined };
  };
  await node.report(type);
  node.send = send;
  return bytes;
}

/** Passes connections on, from another address of loopback. @returns where it listens */
export async function startRelay(target: string, from: string): Promise<string> {
  const { host, port } = parseHostPort(target);
  const server = createServer((inward) => {
    const outward = connect({ host, port, localAddress: from });
    inward.pipe(outward).pipe(inward);
    for (const socket of [inward, outward]) {
      socket.on('error', () => {});
      socket.on('close', () => {
        inward.destroy();
        outward.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  return `127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
}

/** An agent that answers Identify and nothing else; with TLS where it has a certificate. */
export async function startAgent(
  describe: () => Pick<IdentifyResponse, 'identity' | 'bootId'> & Partial<IdentifyResponse>,
  listen = '127.0.0.1:0',
  certificate?: TestCertificate,
): Promise<RunningServer> {
  const missing = unimplemented('this');
  const server = await startServer({
    listen,
    log: silentLogger(),
    ...(certificate && {
      credentials: fixedServerCredentials(certificate.certificatePem, certificate.keyPem),
    }),
    services: [
      open(NodeAgentServiceService, {
        identify: unary(silentLogger(), () => ({
          challenge: Buffer.alloc(32),
          provisioning: true,
          version: '1.0.0',
          features: undefined,
          ...describe(),
        })),
        getJwt: missing,
        generateEd25519Key: missing,
        getInventory: missing,
        generateCsr: missing,
        updateRelease: missing,
        configure: missing,
        restart: missing,
        shutdown: missing,
        reprovision: missing,
        getRunStatus: missing,
      }),
    ],
  });
  onTestFinished(() => server.stop(0));
  return server;
}

/** A port that takes connections and never says anything. */
export async function startBlackHole(connected: () => void = () => {}): Promise<number> {
  const server = createServer(connected);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** A port that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** One open watch, and what it received. */
export class Watch {
  readonly received: WatchNodesResponse[] = [];
  /** The same in words: `TYPE identity address`, and SYNCED. */
  readonly told: string[] = [];
  readonly ended: Promise<ServiceError | undefined>;
  readonly #stream: ClientReadableStream<WatchNodesResponse>;
  #wake: () => void = () => {};

  constructor(client: NodeDiscoveryServiceClient, request: Partial<WatchNodesRequest> = {}) {
    this.#stream = client.watchNodes({ resume: undefined, filter: undefined, ...request });
    this.#stream.on('data', (message: WatchNodesResponse) => {
      this.received.push(message);
      this.told.push(describeMessage(message));
      this.#wake();
    });
    this.ended = new Promise((resolve) => {
      this.#stream.on('error', (error: ServiceError) => resolve(error));
      this.#stream.on('end', () => resolve(undefined));
    });
    onTestFinished(() => this.#stream.cancel());
  }

  cancel(): void {
    this.#stream.cancel();
  }

  pause(): void {
    this.#stream.pause();
  }

  resume(): void {
    this.#stream.resume();
  }

  /** Waits until what was received fulfils a condition; a test that waits in vain runs into its timeout. */
  async until(condition: (told: readonly string[]) => boolean): Promise<readonly string[]> {
    while (!condition(this.told)) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.told;
  }

  /** Waits until so many messages were received. */
  async count(count: number): Promise<void> {
    while (this.received.length < count) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Waits until the snapshot, or what was missed, is complete. */
  synced(): Promise<readonly string[]> {
    return this.until((told) => told.includes('SYNCED'));
  }
}

function describeMessage({ message }: WatchNodesResponse): string {
  if (message?.$case !== 'event') return 'SYNCED';
  const { type, node } = message.value;
  const name = Object.entries(NodeEventType).find(([, value]) => value === type)?.[0];
  return `${name} ${node?.identity} ${node?.address}`;
}
