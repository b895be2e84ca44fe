// Nodes over real gRPC on loopback: one listener that plays the node at each 127.x.y.z that is dialled. They
// take any configuration and check nothing; what a test wants to go wrong it puts in their way.

import { Server, ServerCredentials, type ServerUnaryCall, status } from '@grpc/grpc-js';
import {
  type ConfigureRequest,
  NodeAgentServiceService,
  type RestartRequest,
  RunStage,
} from '../../shared/gen/slipway/node/v1/node.js';
import { configurationDigest } from '../../shared/trust/digest.js';
import { toDuration } from '../../shared/wire/time.js';
import { boot } from './node-events.js';

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
  readonly answers = new Map<string, object | Buffer>();
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
  readonly #server = new Server();
  readonly #nodes = new Map<string, FakeNode>();
  #port = 0;

  static async start(): Promise<FakeNodes> {
    const nodes = new FakeNodes();
    await nodes.#listen();
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
    this.#server.forceShutdown();
  }

  async #listen(): Promise<void> {
    const { identify, getInventory, configure, restart, shutdown, getRunStatus } = NodeAgentServiceService;
    this.#server.addService(
      mapValues({ identify, getInventory, configure, restart, shutdown, getRunStatus }, passingBytes),
      {
        identify: this.#serve('Identify', (node) => ({
          identity: node.identity,
          bootId: node.bootId,
          challenge: Buffer.alloc(32, node.bootNumber),
          provisioning: true,
          version: '1.0.0',
          features: { jwt: false, ed25519: false, pki: false, upgrades: false },
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
      },
    );
    this.#port = await new Promise<number>((resolve, reject) => {
      this.#server.bindAsync('0.0.0.0:0', ServerCredentials.createInsecure(), (error, port) => {
        if (error === null) resolve(port);
        else reject(error);
      });
    });
  }

  #serve<Req>(name: string, answer: (node: FakeNode, request: Req, runId: string) => object) {
    return (call: ServerUnaryCall<Req, object>, callback: (error: object | null, reply?: object) => void) => {
      const node = this.#nodes.get(call.getHost());
      if (node === undefined) {
        callback({ code: status.UNAVAILABLE, details: 'nobody lives here' });
        return;
      }
      const runId = String(call.metadata.get('slipway-run')[0] ?? '');
      void node.take(name).then(() => {
        const right = answer(node, call.request, runId);
        const other = node.answers.get(name);
        callback(null, Buffer.isBuffer(other) ? other : { ...right, ...other });
      });
    };
  }
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
