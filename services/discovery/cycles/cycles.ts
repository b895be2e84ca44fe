// The cycles: once in every interval each live node is sighted and each static target probed, spread over the
// interval; and all of it now, when somebody asks (design, section 4).

import type { Clock, Timer } from '../../../shared/clock.js';
import type { Lease } from '../leases/lease.js';
import type { Registry } from '../leases/registry.js';
import type { TargetProbes } from './target-probes.js';
import type { Targets } from './targets.js';
import { Ticker } from './ticker.js';

export interface CyclesOptions {
  readonly clock: Clock;
  readonly registry: Registry;
  readonly targets: Targets;
  readonly probes: TargetProbes;
  readonly intervalMs: number;
  /** How many parts the interval is done in; those of the registry. */
  readonly slots: number;
  /** Told of each cycle that was completed. */
  readonly completed: () => void;
}

/** What a cycle does. */
export interface CycleCounts {
  readonly sighted: number;
  readonly probed: number;
}

/** How fast a cycle goes that somebody asked for: watchers can follow it, and nothing else waits for it. */
const sweep = { nodes: 200, everyMs: 10 } as const;

export class Cycles {
  readonly #options: CyclesOptions;
  readonly #ticker: Ticker;
  #slot = 0;
  #targets: readonly string[] = [];
  #sweeping: Iterator<Lease> | undefined;
  #sweepAgain = false;
  #sweepTimer: Timer | undefined;
  #stopped = false;

  constructor(options: CyclesOptions) {
    this.#options = options;
    const { clock, intervalMs, slots } = options;
    this.#ticker = new Ticker(clock, intervalMs / slots, slots, () => this.#beat());
  }

  /** Begins, with the targets. */
  async start(): Promise<void> {
    await this.#readTargets();
    if (this.#stopped) return;
    for (const target of this.#targets) this.#options.probes.probe(target);
    this.#ticker.start();
  }

  stop(): void {
    this.#stopped = true;
    this.#ticker.stop();
    this.#sweepTimer?.cancel();
  }

  /**
   * Does a cycle now. Of several that are asked for while one goes on, one more is done.
   *
   * @returns what it is about to do
   */
  async discover(): Promise<CycleCounts> {
    await this.#readTargets();
    const { registry, probes } = this.#options;
    for (const target of this.#targets) probes.probe(target);
    const counts = { sighted: registry.liveCount, probed: this.#targets.length };
    if (this.#sweeping === undefined) this.#sweep();
    else this.#sweepAgain = true;
    return counts;
  }

  #beat(): void {
    const { registry, probes, slots } = this.#options;
    registry.sightSlot(this.#slot);
    const count = this.#targets.length;
    const end = Math.floor((count * (this.#slot + 1)) / slots);
    for (let index = Math.floor((count * this.#slot) / slots); index < end; index++) {
      probes.probe(this.#targets[index] ?? '');
    }
    this.#slot = (this.#slot + 1) % slots;
    if (this.#slot !== 0) return;
    this.#options.completed();
    void this.#readTargets();
  }

  async #readTargets(): Promise<void> {
    this.#targets = await this.#options.targets.read();
  }

  #sweep(): void {
    this.#sweeping = this.#options.registry.live()[Symbol.iterator]();
    this.#sweepOn();
  }

  #sweepOn(): void {
    for (let count = 0; count < sweep.nodes; count++) {
      const next = this.#sweeping?.next();
      if (next === undefined || next.done === true) {
        this.#swept();
        return;
      }
      this.#options.registry.sight(next.value);
    }
    this.#sweepTimer = this.#options.clock.setTimer(sweep.everyMs, () => this.#sweepOn());
  }

  #swept(): void {
    this.#sweeping = undefined;
    this.#options.completed();
    if (!this.#sweepAgain || this.#stopped) return;
    this.#sweepAgain = false;
    this.#sweep();
  }
}
