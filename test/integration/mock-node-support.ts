// What the tests of the mock node have in common: its app on free ports, clients made from the .proto files,
// and a registry that keeps what was reported. All are gone when the test is.

import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as grpc from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { expect, onTestFinished } from 'vitest';
import { createApp, type MockNodeApp } from '../../services/mock-node/app.js';
import { parseFlags } from '../../services/mock-node/config.js';
import { learningNodeCredentials } from '../../shared/grpc/credentials.js';
import { fromServiceError, type RpcError } from '../../shared/grpc/errors.js';
import { newRunId } from '../../shared/identity.js';
import { type Logger, silentLogger } from '../../shared/logger.js';
import type { Random } from '../../shared/random.js';
import { configurationDigest } from '../../shared/trust/digest.js';
import { proof } from '../../shared/trust/proof.js';

const protos = grpc.loadPackageDefinition(
  loadSync(['slipway/node/v1/node.proto', 'slipway/discovery/v1/registry.proto'], {
    includeDirs: [join(import.meta.dirname, '../../proto')],
    keepCase: true,
    longs: String,
    enums: String,
    defaults: true,
  }),
);

interface Packages {
  readonly slipway: {
    readonly node: { readonly v1: { readonly NodeAgentService: grpc.ServiceClientConstructor } };
    readonly discovery: { readonly v1: { readonly NodeRegistryService: grpc.ServiceClientConstructor } };
  };
}

const { slipway } = protos as unknown as Packages;

/** How long a test waits for something that happens by itself. */
export const patience = { interval: 10, timeout: 20_000 };

/** A reply as the .proto file spells it. */
export type Reply = Record<string, unknown>;

/** A folder that is gone when the test is. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export interface AppOptions {
  readonly flags?: readonly string[];
  readonly log?: Logger;
  readonly random?: Random;
}

/** Starts the mock node on a free port, without TLS but where flags say so, briefly down; its nodes are up. */
export async function startMockNode({
  flags = [],
  log = silentLogger(),
  random,
}: AppOptions = {}): Promise<MockNodeApp & { readonly port: number }> {
  const usual = ['--tls-mode=insecure', '--listen=0.0.0.0:0', '--start-within=0s', '--down-time=20ms'];
  const config = parseFlags([...usual, ...flags], 'web-1.example.net') ?? expect.fail('help was asked for');
  const app = await createApp(config, log, random && { random });
  onTestFinished(() => app.stop());
  await expect.poll(() => app.swarm.started, patience).toBe(true);
  return { ...app, port: Number(app.addresses.nodes?.split(':').at(-1)) };
}

/** The authority that calls of one run carry. */
export interface Run {
  readonly runId: string;
  readonly fence: bigint;
}

let lastFence = BigInt(Date.now());

export function newRun(): Run {
  lastFence += 1n;
  return { runId: newRunId(), fence: lastFence };
}

/** A provisioner's side of one node, in whatever state that is. */
export class NodeClient {
  readonly #client: grpc.Client;
  readonly #secret: string;
  /** Of the certificate that the node showed last, hex; empty without TLS. */
  certificateSha256 = '';

  constructor(address: string, secret = '', { tls = false } = {}) {
    const credentials = tls
      ? learningNodeCredentials((sha256) => {
          this.certificateSha256 = sha256;
        })
      : grpc.credentials.createInsecure();
    this.#client = new slipway.node.v1.NodeAgentService(address, credentials, {
      'grpc.use_local_subchannel_pool': 1,
      'grpc.max_send_message_length': -1,
      'grpc.initial_reconnect_backoff_ms': 20,
      'grpc.max_reconnect_backoff_ms': 20,
    });
    this.#secret = secret;
    onTestFinished(() => this.#client.close());
  }

  identify(): Promise<Reply> {
    return this.call('Identify', {}, new grpc.Metadata());
  }

  /** Asks who is there and gives the metadata that a call of the run carries. */
  async authority(run: Run, changes: Readonly<Record<string, string>> = {}): Promise<grpc.Metadata> {
    const { identity, boot_id, challenge } = await this.identify();
    const metadata = new grpc.Metadata();
    const values = {
      'slipway-identity': String(identity),
      'slipway-boot': String(boot_id),
      'slipway-site': 'default',
      'slipway-provisioner': 'test',
      'slipway-run': run.runId,
      'slipway-fence': run.fence.toString(),
      'slipway-proof': proof({
        secret: this.#secret,
        identity: String(identity),
        runId: run.runId,
        challenge: challenge as Buffer,
        certificateSha256: this.certificateSha256,
      }),
      ...changes,
    };
    for (const [key, value] of Object.entries(values)) metadata.set(key, value);
    return metadata;
  }

  call(rpc: string, request: object, metadata: grpc.Metadata, timeoutMs = 5_000): Promise<Reply> {
    const method = Reflect.get(this.#client, rpc) as (...args: unknown[]) => grpc.ClientUnaryCall;
    return new Promise((resolve, reject) => {
      const deadline = Date.now() + timeoutMs;
      method.call(
        this.#client,
        request,
        metadata,
        { deadline },
        (error: grpc.ServiceError | null, reply: Reply) => {
          if (error === null) resolve(reply);
          else reject(fromServiceError(error));
        },
      );
    });
  }

  /** Makes the call of a run against the boot that answers now. */
  async as(run: Run, rpc: string, request: object = {}): Promise<Reply> {
    return await this.call(rpc, request, await this.authority(run));
  }

  /** @returns the error with which a call of the run is refused */
  async refusal(run: Run, rpc: string, request: object = {}): Promise<RpcError> {
    const made = this.as(run, rpc, request);
    return await made.then(
      () => expect.fail(`${rpc} was not refused`),
      (error: RpcError) => error,
    );
  }
}

/** A report as the .proto file spells it. */
export type NodeReport = Reply & { readonly type: string; readonly identity: string };

/** A report as it was sent, and its bearer. */
export interface SentReport {
  readonly report: Buffer;
  readonly certificate: Buffer;
  readonly signature: Buffer;
  /** The metadata `authorization`; empty without it. */
  readonly authorization: string;
}

export interface TestRegistry {
  readonly address: string;
  readonly reports: readonly NodeReport[];
  readonly sent: readonly SentReport[];
  /** Identities of connections' peers, host:port. */
  readonly peers: ReadonlySet<string>;
}

/** Serves NodeRegistryService, answering with this pace. */
export async function startRegistry(
  nextReportInMs = 10_000,
  credentials = grpc.ServerCredentials.createInsecure(),
): Promise<TestRegistry> {
  const reports: NodeReport[] = [];
  const sent: SentReport[] = [];
  const peers = new Set<string>();
  const types = loadSync('slipway/discovery/v1/registry.proto', {
    includeDirs: [join(import.meta.dirname, '../../proto')],
    keepCase: true,
    longs: String,
    enums: String,
    defaults: true,
  });
  const nodeReport = types['slipway.discovery.v1.NodeReport'] as unknown as {
    deserialize(bytes: Buffer): NodeReport;
  };
  const server = new grpc.Server();
  server.addService(slipway.discovery.v1.NodeRegistryService.service, {
    Report: (
      call: grpc.ServerUnaryCall<Omit<SentReport, 'authorization'>, unknown>,
      callback: grpc.sendUnaryData<unknown>,
    ) => {
      sent.push({ ...call.request, authorization: String(call.metadata.get('authorization')[0] ?? '') });
      reports.push(nodeReport.deserialize(call.request.report));
      peers.add(call.getPeer());
      const span = (ms: number) => ({
        seconds: String(Math.floor(ms / 1000)),
        nanos: (ms % 1000) * 1e6,
      });
      callback(null, { lease_ttl: span(30_000), next_report_in: span(nextReportInMs) });
    },
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', credentials, (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  onTestFinished(() => server.forceShutdown());
  return { address: `127.0.0.1:${port}`, reports, sent, peers };
}

/** A request of Configure that commits these settings; every call makes another content. */
export function configureRequest(settings: Readonly<Record<string, string>> = {}): Reply {
  return {
    configuration_json: JSON.stringify({ stamp: randomUUID(), ...settings }),
    action_policies: { 'a.policy': 'policy default deny\n' },
  };
}

/** The digest of what {@link configureRequest} makes, as the contract has it. */
export function digestOf(request: Reply): Buffer {
  return configurationDigest({
    configurationJson: String(request.configuration_json),
    keyPem: '',
    certificatePem: '',
    caPem: '',
    sslDir: '',
    nodeEcdhPublic: Buffer.of(),
    provisionerEcdhPublic: Buffer.of(),
    serverJwt: '',
    actionPolicies: request.action_policies as Record<string, string>,
    opaPolicies: {},
  });
}
