// Watches one discovery service for as long as the provisioner lives: connects, takes the snapshot, follows,
// and when the connection is lost comes back with backoff and resumes where it was (design, section 5).

import { backoffMs } from '../../../shared/backoff.js';
import { type Clock, sleep } from '../../../shared/clock.js';
import { formatDuration } from '../../../shared/durations.js';
import type {
  Position,
  Synced,
  NodeEvent as WireEvent,
} from '../../../shared/gen/slipway/discovery/v1/discovery.js';
import { plainFailure } from '../../../shared/grpc/plain-failure.js';
import type { Random } from '../../../shared/random.js';
import { fromDuration } from '../../../shared/wire/time.js';
import type { NodeEvent } from '../fleet/node-event.js';
import { InvalidEventError, toNodeEvent } from './convert.js';
import type { DiscoveryClient, WatchMessage } from './discovery-client.js';

/** What a watch tells. `discovery` is the service's address as configured. */
export interface WatchListener {
  event(event: NodeEvent): void;
  /** An event could not be understood and was passed over. */
  skipped(discovery: string, why: string): void;
  /** All that was there, or was missed, has been told; the watch now follows. */
  synced(discovery: string, intervalMs: number): void;
  /** The watch does not stand. Told once per failed attempt; `wasSynced` where it stood until now. */
  lost(discovery: string, why: string, wasSynced: boolean): void;
}

export interface WatchOptions {
  /** host:port as configured. */
  readonly discovery: string;
  /** Components to hear of; empty for all. */
  readonly components: readonly string[];
  readonly connect: (address: string) => DiscoveryClient;
  readonly listener: WatchListener;
  readonly clock: Clock;
  readonly random: Random;
}

/** How a watch does. */
export interface WatchStanding {
  readonly discovery: string;
  /** True where it stands and has all that was there. */
  readonly connected: boolean;
  /** Since when it is, or is not; Unix milliseconds. */
  readonly since: number;
  /** Of the discovery process; empty before its first message. */
  readonly epoch: string;
  /** Of its last event. */
  readonly revision: bigint;
  /** Undefined before the service said so. */
  readonly intervalMs: number | undefined;
  /** Events that could not be understood. */
  readonly skipped: number;
  /** Why the last connection ended; empty where none did. */
  readonly lastError: string;
}

const reconnect = { initialMs: 500, maxMs: 5_000 };

/** A service that takes the call has something to say at once: the snapshot, or that it is complete. */
const firstMessageMs = 10_000;

export class Watch {
  readonly #options: WatchOptions;
  /** Of this watch alone: with many services on one signal Node would take its listeners for a leak. */
  readonly #stop = new AbortController();
  #client: DiscoveryClient | undefined;
  #position: Position | undefined;
  #synced = false;
  /** Unix milliseconds. */
  #since: number;
  #lastError = '';
  #heard: Position = { epoch: '', revision: 0n };
  #intervalMs: number | undefined;
  #skipped = 0;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#since = options.clock.now();
  }

  get discovery(): string {
    return this.#options.discovery;
  }

  /** Why the watch does not stand; undefined where it does. */
  get whyNot(): string | undefined {
    if (this.#synced) return undefined;
    return this.#lastError === '' ? 'it was not reached yet' : this.#lastError;
  }

  get standing(): WatchStanding {
    return {
      discovery: this.discovery,
      connected: this.#synced,
      since: this.#since,
      ...this.#heard,
      intervalMs: this.#intervalMs,
      skipped: this.#skipped,
      lastError: this.#lastError,
    };
  }

  /** Watches until it is stopped. Never rejects. */
  async run(): Promise<void> {
    const { clock, random, discovery, listener } = this.#options;
    const { signal } = this.#stop;
    for (let failures = 1; !signal.aborted; failures++) {
      const why = await this.#watchOnce();
      if (signal.aborted) return;
      const wasSynced = this.#synced;
      this.#synced = false;
      this.#lastError = why;
      if (wasSynced) {
        this.#since = clock.now();
        failures = 1;
      }
      listener.lost(discovery, why, wasSynced);
      await sleep(clock, backoffMs(failures, reconnect, random), signal).catch(() => {});
    }
  }

  stop(): void {
    this.#stop.abort();
  }

  /**
   * Asks for a discovery cycle, where the watch stands.
   *
   * @throws RpcError
   */
  async discover(timeoutMs: number): Promise<void> {
    if (this.#synced) await this.#client?.discover(timeoutMs);
  }

  /** @returns why it ended */
  async #watchOnce(): Promise<string> {
    // A client of its own for each attempt: the name is resolved anew, and no old backoff stands in the way.
    const client = this.#options.connect(this.#options.discovery);
    this.#client = client;
    try {
      return await this.#follow(client);
    } finally {
      this.#client = undefined;
      client.close();
    }
  }

  #follow(client: DiscoveryClient): Promise<string> {
    const { clock, components } = this.#options;
    const { signal } = this.#stop;
    return new Promise((resolve) => {
      let why: string | undefined;
      const request = { resume: this.#position, filter: { components: [...components], labels: {} } };
      const cancel = client.watch(
        request,
        (message) => {
          silence.cancel();
          this.#take(message);
        },
        (error) => {
          silence.cancel();
          signal.removeEventListener('abort', cancel);
          resolve(why ?? (error === undefined ? 'it ended the stream' : plainFailure(error.message)));
        },
      );
      const silence = clock.setTimer(firstMessageMs, () => {
        why = `it did not answer within ${formatDuration(firstMessageMs)}`;
        cancel();
      });
      signal.addEventListener('abort', cancel, { once: true });
    });
  }

  #take({ message }: WatchMessage): void {
    switch (message?.$case) {
      case 'event':
        this.#takeEvent(message.value);
        return;
      case 'synced':
        this.#takeSynced(message.value);
        return;
      default:
        this.#skip('the message cannot be read');
    }
  }

  #takeEvent(event: WireEvent): void {
    // The events of a snapshot all carry its revision: only after it can one be resumed from.
    this.#heard = { epoch: event.epoch, revision: event.revision };
    if (this.#synced) this.#position = this.#heard;
    let converted: NodeEvent;
    try {
      converted = toNodeEvent(event, this.#options.discovery);
    } catch (error) {
      if (!(error instanceof InvalidEventError)) throw error;
      this.#skip(error.message);
      return;
    }
    this.#options.listener.event(converted);
  }

  #takeSynced({ position, interval }: Synced): void {
    this.#position = position;
    if (position !== undefined) this.#heard = position;
    this.#intervalMs = fromDuration(interval);
    if (!this.#synced) this.#since = this.#options.clock.now();
    this.#synced = true;
    this.#options.listener.synced(this.#options.discovery, this.#intervalMs);
  }

  #skip(why: string): void {
    this.#skipped += 1;
    this.#options.listener.skipped(this.#options.discovery, why);
  }
}
