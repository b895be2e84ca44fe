// What the services hold, again and again while they run: written to a file, so that one can see how it went.

import { appendFileSync, writeFileSync } from 'node:fs';
import type { ServiceName } from '../../../cli/launch/project.js';
import { type Clock, sleep } from '../../../shared/clock.js';
import { footprintOf } from './footprint.js';
import type { Site } from './storm.js';

export const services = ['discovery', 'provisioner', 'mock-node'] as const satisfies ServiceName[];

/** Memory of one process, MiB. */
export interface Memory {
  readonly service: ServiceName;
  readonly pid: number;
  readonly first: number;
  readonly peak: number;
  readonly last: number;
}

const everyMs = 3_000;

export class FootprintWatch {
  readonly #site: Site;
  readonly #clock: Clock;
  readonly #file: string;
  readonly #over = new AbortController();
  readonly #watching: Promise<void>;
  readonly #memory = new Map<number, Memory>();

  /** @param file a line for each service and look: CSV */
  constructor(site: Site, clock: Clock, file: string) {
    this.#site = site;
    this.#clock = clock;
    this.#file = file;
    writeFileSync(file, 'time,service,pid,rss_mib,files,sockets,children\n');
    this.#watching = this.#watch();
  }

  /** Of each process that there was, in the order of their starts. */
  get memory(): readonly Memory[] {
    return [...this.#memory.values()];
  }

  /** Looks once more, and no longer. */
  async end(): Promise<void> {
    this.#over.abort();
    await this.#watching;
    this.#look();
  }

  async #watch(): Promise<void> {
    while (!this.#over.signal.aborted) {
      this.#look();
      await sleep(this.#clock, everyMs, this.#over.signal).catch(() => {});
    }
  }

  #look(): void {
    for (const service of services) {
      const pid = this.#site.pidOf(service);
      const found = pid === undefined ? undefined : footprintOf(pid);
      if (pid === undefined || found === undefined || Number.isNaN(found.rssMiB)) continue;
      const { rssMiB, files, sockets, children } = found;
      const time = new Date(this.#clock.now()).toISOString();
      const cells = [time, service, pid, Math.round(rssMiB), files, sockets, children.length];
      appendFileSync(this.#file, `${cells.join(',')}\n`);
      const { first, peak } = this.#memory.get(pid) ?? { first: rssMiB, peak: rssMiB };
      this.#memory.set(pid, { service, pid, first, peak: Math.max(peak, rssMiB), last: rssMiB });
    }
  }
}
