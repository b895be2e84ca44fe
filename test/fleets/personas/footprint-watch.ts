// What the services hold, again and again while they run: written to a file, so that one can see how it went. What has
// leaked stays in the heap, whereas memory that was freed is given back late: the least heap of a time without faults,
// which is that after a garbage collection, tells the one from the other.

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
  /** The least of the heap since faults have ceased; undefined where it was not seen since. */
  readonly leastHeap: number | undefined;
}

const everyMs = 3_000;

export class FootprintWatch {
  readonly #site: Site;
  readonly #clock: Clock;
  readonly #file: string;
  readonly #over = new AbortController();
  readonly #watching: Promise<void>;
  readonly #memory = new Map<number, Memory>();
  #isCalm = false;

  /** @param file a line for each service and look: CSV */
  constructor(site: Site, clock: Clock, file: string) {
    this.#site = site;
    this.#clock = clock;
    this.#file = file;
    writeFileSync(file, 'time,service,pid,rss_mib,heap_mib,files,sockets,children\n');
    this.#watching = this.#watch();
  }

  /** Of each process that there was, in the order of their starts. */
  get memory(): readonly Memory[] {
    return [...this.#memory.values()];
  }

  /** Faults have ceased: from now on the least heap counts. */
  calm(): void {
    this.#isCalm = true;
  }

  /** Looks once more, and no longer. */
  async end(): Promise<void> {
    this.#over.abort();
    await this.#watching;
    await this.#look();
  }

  async #watch(): Promise<void> {
    while (!this.#over.signal.aborted) {
      await this.#look();
      await sleep(this.#clock, everyMs, this.#over.signal).catch(() => {});
    }
  }

  async #look(): Promise<void> {
    for (const service of services) {
      const pid = this.#site.pidOf(service);
      const found = pid === undefined ? undefined : footprintOf(pid);
      if (pid === undefined || found === undefined || Number.isNaN(found.rssMiB)) continue;
      const { rssMiB, files, sockets, children } = found;
      const heapMiB = await this.#heapOf(service);
      const time = new Date(this.#clock.now()).toISOString();
      const mib = [rssMiB, heapMiB].map((value) => (value === undefined ? '' : Math.round(value)));
      appendFileSync(
        this.#file,
        `${[time, service, pid, ...mib, files, sockets, children.length].join(',')}\n`,
      );
      const before = this.#memory.get(pid);
      const { first = rssMiB, peak = rssMiB, leastHeap } = before ?? {};
      const least = this.#isCalm ? lesser(leastHeap, heapMiB) : undefined;
      this.#memory.set(pid, {
        service,
        pid,
        first,
        peak: Math.max(peak, rssMiB),
        last: rssMiB,
        leastHeap: least,
      });
    }
  }

  /** @returns MiB; undefined where the service does not answer, or has nothing to say yet */
  async #heapOf(service: ServiceName): Promise<number | undefined> {
    const samples = await this.#site.stack.metrics(service);
    const bytes = samples?.sum('nodejs_heap_size_used_bytes');
    return bytes === undefined || bytes === 0 ? undefined : bytes / 2 ** 20;
  }
}

function lesser(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Math.min(one, other);
}
