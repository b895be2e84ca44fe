// Watches the nodes of a discovery that may go and come back, as a provisioner does.

import type { ClientReadableStream } from '@grpc/grpc-js';
import {
  type NodeDiscoveryServiceClient,
  NodeEventType,
  type WatchNodesResponse,
} from '../../../shared/gen/slipway/discovery/v1/discovery.js';

export interface Watched {
  /** Nodes whose lease expired. */
  readonly expired: number;
  /** The watch has had its snapshot. */
  readonly synced: boolean;
}

const againMs = 250;

export class NodeWatch {
  readonly #client: NodeDiscoveryServiceClient;
  #expired = 0;
  #synced = false;

  constructor(client: NodeDiscoveryServiceClient) {
    this.#client = client;
    this.#watch();
  }

  /** @returns what was told since this was last called */
  take(): Watched {
    const watched = { expired: this.#expired, synced: this.#synced };
    this.#expired = 0;
    return watched;
  }

  #watch(): void {
    const stream: ClientReadableStream<WatchNodesResponse> = this.#client.watchNodes({
      resume: undefined,
      filter: undefined,
    });
    stream.on('data', ({ message }: WatchNodesResponse) => {
      if (message?.$case === 'synced') this.#synced = true;
      else if (message?.value.type === NodeEventType.EXPIRED) this.#expired++;
    });
    stream.on('error', () => {
      this.#synced = false;
      setTimeout(() => this.#watch(), againMs);
    });
  }
}
