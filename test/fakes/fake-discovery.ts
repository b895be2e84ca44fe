// A discovery service that says what a test has it say, over real gRPC on loopback.

import { once } from 'node:events';
import { Server, ServerCredentials, type ServerWritableStream, status } from '@grpc/grpc-js';
import {
  type Node,
  NodeDiscoveryServiceService,
  type NodeEvent,
  NodeEventType,
  NodeSource,
  type WatchNodesRequest,
  WatchNodesResponse,
} from '../../shared/gen/slipway/discovery/v1/discovery.js';
import { toDuration } from '../../shared/wire/time.js';

type WatchStream = ServerWritableStream<WatchNodesRequest, Buffer>;

export class FakeDiscovery {
  /** What watches asked for, oldest first. */
  readonly watches: WatchNodesRequest[] = [];
  /** Cycles that were asked for. */
  discovers = 0;
  /** Says what a new watch gets at once; by default an empty snapshot that is complete. */
  greet: (request: WatchNodesRequest) => WatchNodesResponse[] = () => [synced()];
  readonly #server = new Server();
  readonly #open = new Set<WatchStream>();
  readonly #changed = new EventTarget();
  #port = 0;

  /**
   * @param port 0 for any free one
   * @param credentials in the clear where absent
   */
  static async start(port = 0, credentials = ServerCredentials.createInsecure()): Promise<FakeDiscovery> {
    const fake = new FakeDiscovery();
    await fake.#listen(port, credentials);
    return fake;
  }

  get port(): number {
    return this.#port;
  }

  get address(): string {
    return `127.0.0.1:${this.#port}`;
  }

  /** Resolves when so many watches have been opened, those that ended since included. */
  async watched(times: number): Promise<void> {
    while (this.watches.length < times) await once(this.#changed, 'watch');
  }

  /** Resolves when so many cycles have been asked for. */
  async asked(times: number): Promise<void> {
    while (this.discovers < times) await once(this.#changed, 'discover');
  }

  /** Sends a message, or bytes in place of one, to every open watch. */
  send(message: WatchNodesResponse | Buffer): void {
    for (const stream of this.#open) stream.write(encode(message));
  }

  /** Ends every open watch as a service does that stops. */
  drop(): void {
    for (const stream of this.#open) {
      stream.emit('error', { code: status.UNAVAILABLE, details: 'the server is stopping' });
    }
    this.#open.clear();
  }

  stop(): void {
    this.#server.forceShutdown();
  }

  async #listen(port: number, credentials: ServerCredentials): Promise<void> {
    this.#server.addService(
      {
        watchNodes: {
          ...NodeDiscoveryServiceService.watchNodes,
          responseSerialize: (bytes: Buffer) => bytes,
        },
        discover: NodeDiscoveryServiceService.discover,
      },
      {
        watchNodes: (stream: WatchStream) => this.#watch(stream),
        discover: (_call: unknown, callback: (error: null, response: unknown) => void) => {
          this.discovers += 1;
          this.#changed.dispatchEvent(new Event('discover'));
          callback(null, { sighted: 0, probed: 0 });
        },
      },
    );
    this.#port = await new Promise<number>((resolve, reject) => {
      this.#server.bindAsync(`127.0.0.1:${port}`, credentials, (error, bound) => {
        if (error === null) resolve(bound);
        else reject(error);
      });
    });
  }

  #watch(stream: WatchStream): void {
    this.#open.add(stream);
    stream.on('cancelled', () => this.#open.delete(stream));
    this.watches.push(stream.request);
    for (const message of this.greet(stream.request)) stream.write(encode(message));
    this.#changed.dispatchEvent(new Event('watch'));
  }
}

function encode(message: WatchNodesResponse | Buffer): Buffer {
  return Buffer.isBuffer(message) ? message : Buffer.from(WatchNodesResponse.encode(message).finish());
}

export function synced(revision = 0n, epoch = 'epoch-1', intervalMs = 60_000): WatchNodesResponse {
  return {
    message: { $case: 'synced', value: { position: { epoch, revision }, interval: toDuration(intervalMs) } },
  };
}

/** A node as discovery would describe it. */
export function wireNode(over: Partial<Node> = {}): Node {
  return {
    identity: 'a.example.net',
    address: '127.0.0.1:1',
    bootId: '00000000-0000-4000-8000-000000000001',
    version: '1.0.0',
    component: 'provision_mode_server',
    certificateSha256: Buffer.alloc(0),
    labels: {},
    firstSeen: new Date(0),
    lastSeen: new Date(0),
    source: NodeSource.REPORTED,
    ...over,
  };
}

export function wireEvent(over: Partial<NodeEvent> = {}): NodeEvent {
  return {
    epoch: 'epoch-1',
    revision: 1n,
    time: new Date(0),
    type: NodeEventType.SIGHTED,
    node: wireNode(),
    runId: '',
    configurationDigest: Buffer.alloc(0),
    newcomer: undefined,
    ...over,
  };
}

/** An event as a watch sends it. */
export function eventMessage(over: Partial<NodeEvent> = {}): WatchNodesResponse {
  return { message: { $case: 'event', value: wireEvent(over) } };
}
