// One trial of a site: does to it what it is told to, and in the end lets everything be well again. What must hold is
// watched by watch.ts.

import type { Fault } from '../world/faults.js';
import type { WorldNode } from '../world/node.js';
import type { WorldProvisioner } from '../world/provisioner.js';
import { World } from '../world/world.js';
import type { Action, Incident, PlannedFault, Setting } from './action.js';
import { Moods } from './moods.js';
import { Watch } from './watch.js';

/** Times in milliseconds. */
export const times = {
  intervalMs: 20_000,
  backoffMaxMs: 200_000,
  holdMs: 40_000,
  runTimeoutMs: 600_000,
  upgradeTimeoutMs: 120_000,
  /** How long the provisioner has for its runs when it is told to stop. */
  graceMs: 20_000,
} as const;

interface Plan {
  readonly identity: string;
  readonly door: string;
  /** Counted from 1 for the node and door. */
  readonly nth: number;
  readonly fault: PlannedFault;
}

export class Trial {
  readonly world: World;
  readonly watch: Watch;
  readonly #moods: Moods;
  readonly #names: number;
  #plans: Plan[] = [];
  #second: WorldProvisioner | undefined;

  private constructor(world: World, moods: Moods, setting: Setting) {
    this.world = world;
    this.#moods = moods;
    this.#names = setting.names;
    this.watch = new Watch(world, setting);
    world.faults.choose = ({ identity, door, nth }) => [
      ...(door === 'Helper' ? moods.faultsOf(identity) : []),
      ...this.#plans
        .filter((plan) => plan.identity === identity && plan.door === door && plan.nth === nth)
        .map(({ fault }) => this.#faultOf(fault, identity)),
    ];
  }

  static async open(setting: Setting): Promise<Trial> {
    const moods = new Moods();
    const world = await World.open({
      features: setting.features,
      settings: {
        intervalMs: times.intervalMs,
        backoffMaxMs: times.backoffMaxMs,
        holdMs: times.holdMs,
        runTimeoutMs: times.runTimeoutMs,
        workers: setting.workers,
        queueLimit: setting.queueLimit,
        helperBreaker: setting.helperBreaker,
      },
      decide: moods.decide,
    });
    moods.configures = world.site.configures;
    return new Trial(world, moods, setting);
  }

  /** Does it, and lets what follows at once happen. */
  async take(action: Action): Promise<void> {
    this.#do(action);
    await this.world.advance(action.do === 'WAIT' ? action.ms : 0);
    await this.watch.check();
  }

  /** No more faults: whoever is there is to be configured, each name by one machine. */
  async makePeace(): Promise<void> {
    const { world } = this;
    this.#plans = [];
    this.#moods.clear();
    void this.#second?.stop(times.graceMs);
    this.#second = undefined;
    for (let name = 0; name < this.#names; name++) {
      for (const spare of this.#machines(name).filter(isLive).slice(1)) spare.vanish();
    }
    // Whatever is down comes up again.
    await world.advance(60_000);
    world.resume();
    await world.advance(0);
    await this.watch.check();
  }

  /** Machines that are there to be configured, or are configured. */
  get live(): readonly WorldNode[] {
    return this.world.nodes.filter(isLive);
  }

  #do(action: Action): void {
    const { world } = this;
    switch (action.do) {
      case 'BOOT':
        this.#boot(action.node);
        return;
      case 'CLONE':
        this.#clone(action.node);
        return;
      case 'REBOOT':
        this.#newest(action.node)?.reboot();
        return;
      case 'VANISH':
        this.#machines(action.node).find(isLive)?.vanish();
        return;
      case 'CRASH':
        this.#newest(action.node)?.crash({
          downMs: action.downMs,
          kept: (unsynced) => Math.floor(unsynced * action.keptShare),
        });
        return;
      case 'FAULT': {
        const { door, nth, fault } = action;
        const identity = door === 'Signing' ? '*' : this.#name(action.node);
        this.#plans.push({ identity, door, nth: world.faults.count(identity, door) + nth, fault });
        return;
      }
      case 'MOOD':
        this.#moods.set(this.#name(action.node), action.mood);
        return;
      case 'CRASH_DISCOVERY':
        world.crashDiscovery(action.downMs);
        return;
      case 'CRASH_PROVISIONER':
        world.crashProvisioner(action.downMs);
        return;
      case 'RESTART_PROVISIONER':
        void world.restartProvisioner(times.graceMs, action.downMs);
        return;
      case 'START_SECOND':
        this.#startSecond();
        return;
      case 'STOP_SECOND':
        void this.#second?.stop(times.graceMs);
        this.#second = undefined;
        return;
      case 'CRASH_SECOND':
        this.#second?.life.end();
        this.#second = undefined;
        return;
      case 'PAUSE':
        world.pause();
        return;
      case 'RESUME':
        world.resume();
        return;
      case 'BREAK_WATCHES':
        world.discovery?.breakWatches();
        return;
      case 'WAIT':
    }
  }

  /** A machine of the name is switched on; one that is configured is replaced by a new one. */
  #boot(number: number): void {
    const machines = this.#machines(number).filter((it) => !it.isGone);
    const off = machines.find((it) => it.phase === 'STOPPED');
    if (off !== undefined) {
      off.start();
      return;
    }
    const configured = machines.find((it) => it.phase === 'CONFIGURED');
    configured?.vanish();
    if (machines.length === 0 || configured !== undefined) this.#add(number);
  }

  /** Another machine under the name of one that is there. */
  #clone(number: number): void {
    if (this.#machines(number).filter(isLive).length === 1) this.#add(number);
  }

  #add(number: number): void {
    const machine = this.world.addNode(this.#name(number));
    this.watch.follow(machine);
    machine.start();
  }

  #startSecond(): void {
    this.#second ??= this.world.addProvisioner();
  }

  #faultOf(fault: PlannedFault, identity: string): Fault {
    switch (fault.kind) {
      case 'DELAY':
        return { kind: 'DELAY', ms: fault.ms };
      case 'REPEAT_LATER':
        return {
          kind: 'REPEAT_LATER',
          keep: (again) => this.world.clock.setTimer(fault.ms, () => void again()),
        };
      case 'DO':
        return { kind: 'DO', when: fault.when, act: () => this.#happen(fault.incident, identity) };
      default:
        return { kind: fault.kind };
    }
  }

  #happen(incident: Incident, identity: string): void {
    const { world } = this;
    const machines = world.nodes.filter((it) => it.identity === identity);
    switch (incident) {
      case 'NODE_CRASHES':
        for (const machine of machines) machine.crash();
        return;
      case 'NODE_REBOOTS':
        for (const machine of machines) machine.reboot();
        return;
      case 'PROVISIONER_CRASHES':
        world.crashProvisioner();
        return;
      case 'PROVISIONER_RESTARTS':
        void world.restartProvisioner(times.graceMs);
        return;
      case 'DISCOVERY_CRASHES':
        world.crashDiscovery();
        return;
      case 'WATCHES_BREAK':
        world.discovery?.breakWatches();
        return;
      case 'SECOND_STARTS':
        this.#startSecond();
        return;
      case 'PAUSES':
        world.pause();
    }
  }

  #name(number: number): string {
    return `n${(number % this.#names) + 1}.example.net`;
  }

  #machines(number: number): readonly WorldNode[] {
    return this.world.nodes.filter(({ identity }) => identity === this.#name(number));
  }

  #newest(number: number): WorldNode | undefined {
    return this.#machines(number).filter(isLive).at(-1);
  }
}

function isLive(machine: WorldNode): boolean {
  return machine.phase !== 'STOPPED';
}
