// What must hold of a site at any time, whatever happens to it. What must have come about when everything is well
// again is ending.ts's matter.

import type { ProvisioningEvent } from '../../../services/provisioner/events/event.js';
import type { WorldNode } from '../world/node.js';
import type { World } from '../world/world.js';
import type { Setting } from './action.js';
import { BreakerWatch } from './breaker-watch.js';
import { Claims } from './claims.js';
import { FenceWatch } from './fence-watch.js';
import { HostLedger } from './host-ledger.js';

/** More than every deadline and pause of a run together: milliseconds. */
const longestRunMs = 1_200_000;

export class Watch {
  readonly #world: World;
  readonly #setting: Setting;
  readonly #problems = new Set<string>();
  /** By the number of the provisioner's life. */
  readonly #ledgers = new Map<number, HostLedger>();
  readonly #breakers = new Map<number, BreakerWatch>();
  readonly #fences: FenceWatch[] = [];
  readonly #claims: Claims;
  /** When runs began that go on: milliseconds, by life and run. */
  readonly #started = new Map<string, number>();
  readonly #cancelled = new Set<string>();

  constructor(world: World, setting: Setting) {
    this.#world = world;
    this.#setting = setting;
    this.#claims = new Claims(world);
    world.story.listen = (event, life) => this.#hear(event, life);
    const { settled } = world.clock;
    world.clock.settled = async () => {
      await settled();
      await this.#look();
    };
  }

  /** Watches what a machine writes. */
  follow(machine: WorldNode): void {
    this.#fences.push(new FenceWatch(machine));
  }

  /** Everything that was not as it must be, until now. */
  get problems(): readonly string[] {
    return [
      ...this.#problems,
      ...[...this.#ledgers.values()].flatMap((ledger) => ledger.problems),
      ...[...this.#breakers.values()].flatMap((breaker) => breaker.problems),
      ...this.#fences.flatMap((fences) => fences.problems),
      ...this.#claims.problems,
      ...this.#world.story.problems,
      ...this.#world.broken,
      ...this.#world.errors.map((error) => `a run ended by a fault of its own: ${String(error)}`),
    ];
  }

  /** To be asked when nothing moves. @throws Error with all problems and the story of the site */
  async check(): Promise<void> {
    const { nodes } = this.#world;
    for (const machine of nodes) {
      if (machine.boot !== undefined) await this.#checkDisk(machine);
      this.#checkCommits(machine);
    }
    await this.#claims.check();
    this.complain(this.problems);
  }

  /** @throws Error where there is any problem */
  complain(problems: readonly string[]): void {
    if (problems.length > 0) throw new Error(`${problems.join('\n')}\n${this.#world.told()}`);
  }

  #hear(event: ProvisioningEvent, life: number): void {
    const ledger = this.#ledgers.get(life) ?? new HostLedger();
    this.#ledgers.set(life, ledger);
    ledger.take(event);
    const breaker = this.#breakers.get(life) ?? new BreakerWatch(this.#setting.helperBreaker);
    this.#breakers.set(life, breaker);
    breaker.take(event);
    this.#claims.take(event);
    if (!('identity' in event)) return;
    if (!this.#world.nodes.some(({ identity }) => identity === event.identity)) {
      this.#problems.add(`${event.type} of ${event.identity}, who is not there`);
    }
    if (event.type === 'RUN_STARTED')
      this.#started.set(`${life} ${event.runId}`, this.#world.clock.monotonic());
    if (event.type !== 'RUN_FINISHED') return;
    this.#started.delete(`${life} ${event.runId}`);
    if (event.outcome === 'CANCELLED') this.#cancelled.add(event.runId);
  }

  async #look(): Promise<void> {
    const { provisioners, clock } = this.#world;
    for (const fences of this.#fences) await fences.look();
    for (const [index, { life, fleet }] of provisioners.entries()) {
      if (life.isOver) continue;
      const { status } = fleet;
      this.#ledgers.get(index + 1)?.compare(status);
      if (status.busyWorkers > this.#setting.workers)
        this.#problems.add(`${status.busyWorkers} workers are busy`);
      if (status.queued > this.#setting.queueLimit + this.#setting.workers) {
        this.#problems.add(`${status.queued} hosts are in the queue`);
      }
    }
    for (const [run, since] of this.#started) {
      const [life = '', runId = ''] = run.split(' ');
      if (provisioners[Number(life) - 1]?.life.isOver !== false) this.#started.delete(run);
      else if (clock.monotonic() - since > longestRunMs) this.#problems.add(`${runId} goes on for ever`);
    }
  }

  async #checkDisk(machine: WorldNode): Promise<void> {
    const { problems, status, runId } = await machine.onDisk();
    const who = `${machine.identity} (${machine.address})`;
    for (const problem of problems) this.#problems.add(`${who}: ${problem}`);
    if (status === 'COMMITTED' && this.#cancelled.has(runId)) {
      this.#problems.add(`${who}: ${runId} was cancelled past its point of no return`);
    }
  }

  #checkCommits({ identity, commits }: WorldNode): void {
    const digests = new Map<string, string>();
    for (const { runId, digest } of commits) {
      if ((digests.get(runId) ?? digest) !== digest) {
        this.#problems.add(`${identity}: ${runId} committed two configurations`);
      }
      digests.set(runId, digest);
    }
  }
}
