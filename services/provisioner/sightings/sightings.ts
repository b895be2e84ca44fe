// All discovery services together: one watch for each, whether one stands, and a cycle of all of them.

import type { Logger } from '../../../shared/logger.js';
import { Watch, type WatchOptions, type WatchStanding } from './watch.js';

export interface SightingsOptions extends Omit<WatchOptions, 'discovery'> {
  /** host:port of each service. */
  readonly discoveries: readonly string[];
  readonly log: Logger;
}

const discoverTimeoutMs = 10_000;

export class Sightings {
  readonly #watches: readonly Watch[];
  readonly #log: Logger;
  #ended: Promise<unknown> = Promise.resolve();

  constructor(options: SightingsOptions) {
    this.#log = options.log;
    this.#watches = options.discoveries.map((discovery) => new Watch({ ...options, discovery }));
  }

  /** How many watches stand. */
  get connected(): number {
    return this.#watches.filter((watch) => watch.whyNot === undefined).length;
  }

  /** How each watch does, in the order of the configuration. */
  get standings(): readonly WatchStanding[] {
    return this.#watches.map((watch) => watch.standing);
  }

  /** Why no watch stands, a sentence for people; undefined where one does. */
  get whyNone(): string | undefined {
    if (this.connected > 0) return undefined;
    const reasons = this.#watches.map(({ discovery, whyNot }) => `${discovery}: ${whyNot}`);
    return `no discovery service is watched (${reasons.join('; ')})`;
  }

  start(): void {
    this.#ended = Promise.all(this.#watches.map((watch) => watch.run()));
  }

  /** Asks every service whose watch stands for a cycle now. Those that fail are logged. */
  async discover(): Promise<void> {
    await Promise.all(
      this.#watches.map(async (watch) => {
        try {
          await watch.discover(discoverTimeoutMs);
        } catch (error) {
          this.#log.warn(
            { discovery: watch.discovery, err: error },
            'a discovery cycle could not be asked for',
          );
        }
      }),
    );
  }

  /** Ends the watches. */
  async stop(): Promise<void> {
    for (const watch of this.#watches) watch.stop();
    await this.#ended;
  }
}
