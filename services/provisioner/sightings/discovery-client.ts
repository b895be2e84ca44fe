// One connection to a discovery service: its stream of node events, and the call for a cycle. When to
// connect and what to make of the messages is watch.ts's matter.

import {
  type ChannelCredentials,
  type ClientReadableStream,
  Metadata,
  type ServiceError,
} from '@grpc/grpc-js';
import {
  NodeDiscoveryServiceClient,
  NodeDiscoveryServiceService,
  type WatchNodesRequest,
  WatchNodesResponse,
} from '../../../shared/gen/slipway/discovery/v1/discovery.js';
import { callUnary } from '../../../shared/grpc/call.js';
import { serviceChannelOptions } from '../../../shared/grpc/channel.js';
import { fromServiceError, type RpcError } from '../../../shared/grpc/errors.js';

/** What a watch sends. A message that cannot be read has no `message`. */
export type WatchMessage = WatchNodesResponse | { readonly message: undefined };

export class DiscoveryClient {
  readonly #client: NodeDiscoveryServiceClient;

  constructor(address: string, credentials: ChannelCredentials) {
    this.#client = new NodeDiscoveryServiceClient(address, credentials, serviceChannelOptions);
  }

  /**
   * Opens the stream of node events. `ended` is called exactly once, and nothing after it.
   *
   * @param ended is given why, or undefined where the service ended the stream well
   * @returns what cancels the stream
   */
  watch(
    request: WatchNodesRequest,
    message: (message: WatchMessage) => void,
    ended: (error: RpcError | undefined) => void,
  ): () => void {
    const { path, requestSerialize } = NodeDiscoveryServiceService.watchNodes;
    const stream: ClientReadableStream<WatchMessage> = this.#client.makeServerStreamRequest(
      path,
      requestSerialize,
      decodeLeniently,
      request,
      new Metadata(),
      {},
    );
    let open = true;
    const end = (error: RpcError | undefined) => {
      if (!open) return;
      open = false;
      ended(error);
    };
    stream.on('data', (received: WatchMessage) => {
      if (open) message(received);
    });
    stream.on('error', (error: ServiceError) => end(fromServiceError(error)));
    stream.on('end', () => end(undefined));
    return () => stream.cancel();
  }

  /** @throws RpcError */
  async discover(timeoutMs: number): Promise<void> {
    await callUnary(this.#client.discover.bind(this.#client), {}, { timeoutMs });
  }

  close(): void {
    this.#client.close();
  }
}

/** A message that cannot be read is one event less, not the end of the watch. */
function decodeLeniently(bytes: Buffer): WatchMessage {
  try {
    return WatchNodesResponse.decode(bytes);
  } catch {
    return { message: undefined };
  }
}
