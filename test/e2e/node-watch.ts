// Somebody who watches a stack's discovery, with a certificate of the site.

import type { ClientReadableStream } from '@grpc/grpc-js';
import { onTestFinished } from 'vitest';
import type { Stack } from '../../cli/launch/stack.js';
import { until } from '../../cli/launch/until.js';
import { systemClock } from '../../shared/clock.js';
import {
  type ListNodesResponse,
  NodeDiscoveryServiceClient,
  type NodeEvent,
  NodeEventType,
  type WatchNodesResponse,
} from '../../shared/gen/slipway/discovery/v1/discovery.js';
import { callUnary } from '../../shared/grpc/call.js';
import { serviceChannelOptions } from '../../shared/grpc/channel.js';
import { silentLogger } from '../../shared/logger.js';
import { serviceCredentials } from '../../shared/tls/channel-credentials.js';
import { TlsFiles, type TlsPaths } from '../../shared/tls/tls-files.js';

/** @returns a client of the stack's discovery that shows these files, closed after the test */
export async function connectDiscovery(stack: Stack, paths: TlsPaths): Promise<NodeDiscoveryServiceClient> {
  const files = await TlsFiles.open(paths, { clock: systemClock, log: silentLogger() });
  const client = new NodeDiscoveryServiceClient(
    `127.0.0.1:${stack.ports.consumers}`,
    serviceCredentials(files, 'discovery'),
    serviceChannelOptions,
  );
  onTestFinished(() => {
    client.close();
    files.close();
  });
  return client;
}

/** Asks for the nodes, a page of them. @throws RpcError */
export function listNodes(client: NodeDiscoveryServiceClient): Promise<ListNodesResponse> {
  const request = { pageSize: 0, pageToken: '', filter: undefined };
  return callUnary(client.listNodes.bind(client), request, { timeoutMs: 10_000 });
}

export class NodeWatch {
  readonly #stream: ClientReadableStream<WatchNodesResponse>;
  /** All that was streamed. */
  readonly events: NodeEvent[] = [];
  /** Identities that came up configured. */
  readonly #provisioned = new Set<string>();
  #synced = false;
  #last: bigint | undefined;
  /** What is wrong with the stream: that it has ended, or that an event is missing. */
  #fault = '';

  private constructor(stream: ClientReadableStream<WatchNodesResponse>) {
    this.#stream = stream;
    stream.on('data', ({ message }: WatchNodesResponse) => {
      if (message?.$case === 'event') this.#take(message.value);
      else if (message?.$case === 'synced') {
        this.#synced = true;
        this.#last = message.value.position?.revision;
      }
    });
    stream.on('error', (error) => {
      this.#fault ||= `it failed: ${error.message}`;
    });
    stream.on('end', () => {
      this.#fault ||= 'it has ended';
    });
  }

  /** Resolves when the watch follows. */
  static async open(client: NodeDiscoveryServiceClient): Promise<NodeWatch> {
    const stream = client.watchNodes({ resume: undefined, filter: undefined });
    const watch = new NodeWatch(stream);
    onTestFinished(() => watch.#stream.cancel());
    await until(() => watch.#synced || watch.fault !== '', { what: 'the watch stands', timeoutMs: 10_000 });
    return watch;
  }

  /** Why it is not the watch any more that it was; empty where nothing is wrong. */
  get fault(): string {
    return this.#fault;
  }

  /** Resolves when so many nodes whose identities begin so have come up configured. */
  async untilProvisioned(prefix: string, nodes: number, timeoutMs: number): Promise<void> {
    const count = () => [...this.#provisioned].filter((identity) => identity.startsWith(prefix)).length;
    await until(() => count() >= nodes || this.#fault !== '', {
      what: `${nodes} nodes ${prefix}… came up configured`,
      timeoutMs,
    }).catch((error: Error) => {
      throw new Error(`${error.message}; ${count()} did`);
    });
    if (this.#fault !== '') throw new Error(`the watch: ${this.#fault}`);
  }

  #take(event: NodeEvent): void {
    const { type, revision, node } = event;
    this.events.push(event);
    if (this.#last !== undefined && revision !== this.#last + 1n) {
      this.#fault ||= `event ${revision} came after ${this.#last}`;
    }
    if (this.#synced) this.#last = revision;
    if (type === NodeEventType.PROVISIONED && node !== undefined) this.#provisioned.add(node.identity);
  }
}
