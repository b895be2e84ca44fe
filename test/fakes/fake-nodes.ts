// Nodes over real gRPC on loopback: one listener that plays the node at each 127.x.y.z that is dialled. They
// take any configuration and check nothing; what a test wants to go wrong it puts in their way.

import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type Metadata, Server, ServerCredentials, type ServerUnaryCall, status } from '@grpc/grpc-js';
import {
  type ConfigureRequest,
  type GenerateCsrRequest,
  type GenerateEd25519KeyRequest,
  NodeAgentServiceService,
  type RestartRequest,
  RunStage,
} from '../../shared/gen/slipway/node/v1/node.js';
import { RpcError, toStatus } from '../../shared/grpc/errors.js';
import { readNodeMetadata } from '../../shared/grpc/node-metadata.js';
import { configurationDigest } from '../../shared/trust/digest.js';
import { verifyProof } from '../../shared/trust/proof.js';
import { toDuration } from '../../shared/wire/time.js';
import type { TestCertificate } from './certificates.js';
import { boot } from './node-events.js';
import { NodeKeys } from './node-keys.js';

/** What a call is answered with: bytes as they are, fields over those that are right, or either made for the request. */
export type Answer = object | Buffer | ((request: never, runId: string) => object | Buffer);

/** One node, and what it was asked. */
export class FakeNode {
  readonly identity: string;
  bootNumber = 1;
  /** Calls in the order in which they came. */
  readonly calls: string[] = [];
  configurationJson = '';
  configurationDigest: Buffer = Buffer.alloc(0);
  runId = '';
  stage: RunStage = RunStage.NONE;
  /** Waited for before a call of that name is answered. */
  readonly delays = new Map<string, Promise<void>>();
  /** What a call of that name is answered with, over what is right: bytes go out as they are. */
  readonly answers = new Map<string, Answer>();
  readonly keys = new NodeKeys();
  serverJwt = '';
  /** What a caller has to prove that it knows; without it any proof is taken. */
  secret: string | undefined;
  features = { jwt: true, ed25519: true, pki: true, upgrades: false };
  readonly #waiting: { readonly call: string; readonly heard: () => void }[] = [];

  constructor(identity: string) {
    this.identity = identity;
  }

  get bootId(): string {
    return boot(this.bootNumber);
  }

  /** Resolves when a call of that name has come, now or earlier. */
  called(call: string): Promise<void> {
    if (this.calls.includes(call)) return Promise.resolve();
    return new Promise((heard) => this.#waiting.push({ call, heard }));
  }

  async take(call: string): Promise<void> {
    this.calls.push(call);
    for (const { call: awaited, heard } of this.#waiting) if (awaited === call) heard();
    await this.delays.get(call);
  }
}

export class FakeNodes {
  /** Connections that are open. */
  readonly sockets = new Set<Socket>();
  /** Hex SHA-256 of their certificate; empty without one. */
  readonly certificateSha256: string;
  readonly #server = new Server({ 'grpc.max_send_message_length': -1 });
  readonly #nodes = new Map<string, FakeNode>();
  readonly #listener = createServer({ pauseOnConnect: true });
  #port = 0;

  private constructor(certificateSha256: string) {
    this.certificateSha256 = certificateSha256;
  }

  /** @param certificate one for all of them; without it they speak in the clear */
  static async start(certificate?: TestCertificate): Promise<FakeNodes> {
    const nodes = new FakeNodes(certificate?.sha256 ?? '');
    await nodes.#listen(credentialsOf(certificate));
    return nodes;
  }

  /** Brings up a node at an address of its own. */
  add(identity: string): FakeNode {
    const node = new FakeNode(identity);
    const number = this.#nodes.size + 1;
    this.#nodes.set(`127.1.${number >> 8}.${number & 255}:${this.#port}`, node);
    return node;
  }

  addressOf(node: FakeNode): string {
    for (const [address, known] of this.#nodes) if (known === node) return address;
    throw new Error(`no such node: ${node.identity}`);
  }

  stop(): void {
    this.#listener.close();
    for (const socket of this.sockets) socket.destroy();
    this.#server.forceShutdown();
  }

  async #listen(credentials: ServerCredentials): Promise<void> {
    const { updateRelease: _, reprovision: __, ...served } = NodeAgentServiceService;
    this.#server.addService(mapValues(served, passingBytes), {
      getJwt: this.#serve('GetJwt', (node) => {
        const { jwt, ecdhPublic } = node.keys.getJwt();
        return { jwt: jwt.reveal(), ecdhPublic };
      }),
      generateEd25519Key: this.#serve(
        'GenerateEd25519Key',
        (node, request: GenerateEd25519KeyRequest, runId) =>
          node.keys.generateKey(node.identity, runId, request.nonce),
      ),
      generateCsr: this.#serve('GenerateCsr', (node, { commonName }: GenerateCsrRequest) =>
        node.keys.generateCsr(commonName),
      ),
      identify: this.#serve('Identify', (node) => ({
        identity: node.identity,
        bootId: node.bootId,
        challenge: Buffer.alloc(32, node.bootNumber),
        provisioning: true,
        version: '1.0.0',
        features: node.features,
      })),
      getInventory: this.#serve('GetInventory', () => ({
        version: '1.0.0',
        upgradable: false,
        agents: [],
        classes: [],
        collectives: [],
        mainCollective: '',
        dataPlugins: [],
        machinesJson: '[]',
        factsJson: '{}',
      })),
      configure: this.#serve('Configure', (node, request: ConfigureRequest, runId) => {
        node.configurationJson = request.configurationJson;
        node.serverJwt = request.serverJwt;
        node.configurationDigest = configurationDigest(request);
        node.runId = runId;
        node.stage = RunStage.CONFIGURED;
        return { message: 'configured', configurationDigest: node.configurationDigest };
      }),
      restart: this.#serve('Restart', (node, _request: RestartRequest) => {
        node.stage = RunStage.RESTARTING;
        return { message: 'restarting', restartingIn: toDuration(0) };
      }),
      shutdown: this.#serve('Shutdown', () => ({ message: 'stopping', stoppingIn: toDuration(0) })),
      getRunStatus: this.#serve('GetRunStatus', (node) => ({
        stage: node.stage,
        configurationDigest: node.configurationDigest,
        updatedAt: undefined,
      })),
    });
    const injector = this.#server.createConnectionInjector(credentials);
    this.#listener.on('connection', (socket: Socket) => {
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
      socket.on('error', () => {});
      injector.injectConnection(socket);
      socket.resume();
    });
    await new Promise<void>((resolve, reject) => {
      this.#listener.once('error', reject).listen(0, '0.0.0.0', resolve);
    });
    this.#port = (this.#listener.address() as AddressInfo).port;
  }

  /** @throws RpcError */
  #checkProof({ secret, identity, bootNumber }: FakeNode, metadata: Metadata): void {
    if (secret === undefined) return;
    const { proof, run } = readNodeMetadata(metadata);
    const { certificateSha256 } = this;
    const challenge = Buffer.alloc(32, bootNumber);
    if (verifyProof(proof, { secret, identity, runId: run, challenge, certificateSha256 })) return;
    throw new RpcError(status.UNAUTHENTICATED, 'the proof does not match', { reason: 'PROOF_INVALID' });
  }

  #serve<Req>(
    name: string,
    answer: (node: FakeNode, request: Req, runId: string) => object | Promise<object>,
  ) {
    return (call: ServerUnaryCall<Req, object>, callback: (error: object | null, reply?: object) => void) => {
      const node = this.#nodes.get(call.getHost());
      if (node === undefined) {
        callback({ code: status.UNAVAILABLE, details: 'nobody lives here' });
        return;
      }
      const runId = String(call.metadata.get('slipway-run')[0] ?? '');
      const reply = async () => {
        await node.take(name);
        if (name !== 'Identify') this.#checkProof(node, call.metadata);
        const right = await answer(node, call.request, runId);
        const given = node.answers.get(name);
        const other = typeof given === 'function' ? given(call.request as never, runId) : given;
        return Buffer.isBuffer(other) ? other : { ...right, ...other };
      };
      void reply().then(
        (value) => callback(null, value),
        (error: unknown) => callback(toStatus(error)),
      );
    };
  }
}

function credentialsOf(certificate: TestCertificate | undefined): ServerCredentials {
  if (certificate === undefined) return ServerCredentials.createInsecure();
  const pair = {
    private_key: Buffer.from(certificate.keyPem),
    cert_chain: Buffer.from(certificate.certificatePem),
  };
  return ServerCredentials.createSsl(null, [pair]);
}

function mapValues<T extends object>(object: T, map: (value: T[keyof T]) => T[keyof T]): T {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)])) as T;
}

/** The same method, but a reply of bytes goes out as it is. */
function passingBytes<M extends { readonly responseSerialize: (reply: never) => Buffer }>(method: M): M {
  const serialize = method.responseSerialize as (reply: unknown) => Buffer;
  return {
    ...method,
    responseSerialize: (reply: unknown) => (Buffer.isBuffer(reply) ? reply : serialize(reply)),
  };
}
