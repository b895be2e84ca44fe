// Carries out what was planned, one after the other, and remembers when each thing was done.

import type { ServiceName } from '../../../cli/launch/project.js';
import type { ServiceProcess } from '../../../cli/launch/service-process.js';
import { ServiceEndedError } from '../../../cli/launch/service-process.js';
import type { Stack } from '../../../cli/launch/stack.js';
import { type Clock, sleep } from '../../../shared/clock.js';
import type { Operator } from './operator.js';
import type { Disruption } from './plan.js';

/** Something that was done, in Unix milliseconds: until the service was ready again, or went on. */
export type Done = Omit<Disruption, 'atMs' | 'forMs'> & {
  readonly from: number;
  readonly to: number;
  readonly service?: ServiceName;
};

/** The processes of a stack as they come and go. */
export class Site {
  readonly stack: Stack;
  readonly #clock: Clock;
  readonly #running = new Map<ServiceName, ServiceProcess>();
  readonly done: Done[] = [];

  constructor(stack: Stack, clock: Clock) {
    this.stack = stack;
    this.#clock = clock;
  }

  /** The swarm is not waited for: its nodes come up over a long time. */
  async start(service: ServiceName): Promise<void> {
    const untilReady = service !== 'mock-node';
    this.#running.set(service, await this.stack.start(service, { untilReady }));
  }

  /** @returns the id of the service's process as it is now */
  pidOf(service: ServiceName): number | undefined {
    return this.#running.get(service)?.pid;
  }

  /** @throws ServiceEndedError where a service ended that was not told to */
  checkAllRun(): void {
    const { lost } = this.stack;
    if (lost !== undefined) throw new ServiceEndedError(lost);
  }

  /**
   * Does one thing after the other, each at its time or, where the one before takes so long, after it.
   *
   * @param durationMs resolves no earlier
   */
  async storm(plan: readonly Disruption[], operator: Operator, durationMs: number): Promise<void> {
    const began = this.#clock.monotonic();
    const untilMs = (ms: number) => sleep(this.#clock, Math.max(0, began + ms - this.#clock.monotonic()));
    for (const disruption of plan) {
      await untilMs(disruption.atMs);
      this.checkAllRun();
      const from = this.#clock.now();
      await this.#disrupt(disruption, operator);
      const { atMs: _, forMs: __, ...what } = disruption;
      this.done.push({ ...what, from, to: this.#clock.now() });
    }
    await untilMs(durationMs);
  }

  async #disrupt(disruption: Disruption, operator: Operator): Promise<void> {
    const pass = () => sleep(this.#clock, disruption.forMs);
    switch (disruption.kind) {
      case 'KILL':
        await this.stack.end(disruption.service, 'SIGKILL');
        await pass();
        await this.start(disruption.service);
        return;
      case 'STALL': {
        const pid = this.pidOf(disruption.service);
        if (pid === undefined) throw new Error(`${disruption.service} does not run`);
        process.kill(pid, 'SIGSTOP');
        await pass().finally(() => process.kill(pid, 'SIGCONT'));
        return;
      }
      case 'PAUSE':
        await operator.pause();
        await pass();
        await operator.resume();
    }
  }
}
