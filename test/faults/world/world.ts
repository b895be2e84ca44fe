// A site in one process: the provisioner's fleet and runs, discovery's registry and mock nodes on disks that can crash,
// joined without a network under one fake clock. Faults are put between the parts; see World for how it is used.

import type { PauseStore } from '../../../services/provisioner/fleet/pause.js';
import type { RunFeatures } from '../../../services/provisioner/run/run-context.js';
import { parseIdentity } from '../../../shared/identity.js';
import { FakeClock, settle } from '../../fakes/fake-clock.js';
import { WorldDiscovery } from './discovery.js';
import { Faults } from './faults.js';
import { Invariants } from './invariants.js';
import { RealWork } from './life.js';
import { WorldNode } from './node.js';
import { PauseInMemory } from './pause-store.js';
import { worldProber } from './prober.js';
import { defaultSettings, WorldProvisioner, type WorldSettings } from './provisioner.js';
import { reportOver } from './reporting.js';
import { type Decide, Site } from './site.js';
import { Story } from './story.js';
import { Wire } from './wire.js';

export interface WorldOptions {
  /** Default: jwt and ed25519. */
  readonly features?: Partial<RunFeatures>;
  readonly settings?: Partial<WorldSettings>;
  /** What the helper prints of a node. Default: a configuration that leaves provisioning off. */
  readonly decide?: Decide;
}

/** How long a service is down that was crashed: milliseconds. */
const downMs = 2_000;

/**
 * A site whose every string a test holds.
 *
 * ```ts
 * const world = await World.open();
 * const node = world.addNode('n1.example.net');
 * world.faults.at(node.identity, 'Configure', 1, { kind: 'LOSE_REPLY' });
 * world.faults.at(node.identity, 'Restart', 1, { kind: 'DO', when: 'DONE', act: () => world.crashProvisioner() });
 * node.start();
 * await world.until(() => world.confirmed(node), 600_000);
 * expect(await world.problems()).toEqual([]);
 * ```
 *
 * Discovery and the provisioner run from the start. Nodes are added, and started, at any time; each has crash(),
 * reboot() and start(), its commits, its phase and its disk. Services are crashed (and come back by themselves, the
 * provisioner with a new instance and an empty memory, discovery with an empty registry and a new epoch), stopped,
 * paused and resumed. Nothing happens but within {@link advance} and {@link until}. What happened is in `story`.
 */
export class World {
  readonly clock = new FakeClock();
  readonly faults = new Faults();
  readonly story = new Story(this.clock);
  readonly nodes: WorldNode[] = [];
  /** Every life of every provisioner, also those that are over: the first is number 1. */
  readonly provisioners: WorldProvisioner[] = [];
  /** What runs logged as warnings, and as errors of their own. */
  readonly warnings: string[] = [];
  readonly errors: unknown[] = [];
  readonly #site: Site;
  readonly #options: WorldOptions;
  readonly #invariants = new Invariants();
  readonly #work = new RealWork();
  readonly #wire: Wire;
  readonly #pauseStore = new PauseInMemory();
  #discovery: WorldDiscovery | undefined;
  #provisioner: WorldProvisioner | undefined;
  #epochs = 0;

  private constructor(site: Site, options: WorldOptions) {
    this.#site = site;
    this.#options = options;
    this.#wire = new Wire({
      clock: this.clock,
      faults: this.faults,
      nodeAt: this.#nodeAt,
    });
    this.clock.settled = async () => {
      do await settle();
      while (this.#work.isUnderWay);
      for (const provisioner of this.provisioners) this.#invariants.lookAtFleet(provisioner);
      this.#invariants.lookAtWaits(this.provisioners, this.nodes, this.clock.now());
      for (const node of this.nodes) await this.#invariants.lookAtDisk(node);
    };
  }

  /** A site with nobody in it but its services. */
  static async open(options: WorldOptions = {}): Promise<World> {
    const world = new World(await openSite(), options);
    world.startDiscovery();
    world.startProvisioner();
    await world.advance(0);
    return world;
  }

  /** The provisioner that runs; undefined while it is down. */
  get provisioner(): WorldProvisioner | undefined {
    return this.#provisioner;
  }

  /** The discovery that runs; undefined while it is down. */
  get discovery(): WorldDiscovery | undefined {
    return this.#discovery;
  }

  get site(): Site {
    return this.#site;
  }

  /** A machine that is not started yet. */
  addNode(name: string): WorldNode {
    const identity = parseIdentity(name);
    if (identity === undefined) throw new Error(`${name} is no identity`);
    const number = this.nodes.length + 1;
    const reporting = { clock: this.clock, faults: this.faults, discovery: () => this.#discovery };
    const node = new WorldNode({
      identity,
      ip: `10.0.${number >> 8}.${number & 255}`,
      clock: this.clock,
      random: middling,
      token: this.#site.token,
      secret: this.#site.secret,
      version: '1.0.0',
      report: (...said) => reportOver(reporting, identity, ...said),
    });
    this.nodes.push(node);
    return node;
  }

  startDiscovery(): void {
    if (this.#discovery !== undefined) return;
    this.#epochs += 1;
    this.#discovery = new WorldDiscovery({
      clock: this.clock,
      prober: worldProber(this.#nodeAt),
      epoch: `epoch-${this.#epochs}`,
      intervalMs: this.#settings.intervalMs,
    });
    void this.#discovery.start();
  }

  /** Discovery dies without a word, and comes back with an empty registry. */
  crashDiscovery(ms = downMs): void {
    if (this.#discovery === undefined) return;
    this.#discovery.life.end();
    this.#discovery = undefined;
    this.clock.setTimer(ms, () => this.startDiscovery());
  }

  startProvisioner(): void {
    if (this.#provisioner !== undefined) return;
    this.#provisioner = this.#startProvisioner(this.#pauseStore);
  }

  /** Another provisioner of the same site beside the first, with a pause of its own. Whoever adds it ends it. */
  addProvisioner(): WorldProvisioner {
    return this.#startProvisioner(new PauseInMemory());
  }

  #startProvisioner(pauseStore: PauseStore): WorldProvisioner {
    const life = this.provisioners.length + 1;
    const { features, decide = this.#site.configures } = this.#options;
    const provisioner = new WorldProvisioner({
      clock: this.clock,
      random: middling,
      settings: this.#settings,
      features: { jwt: true, ed25519: true, pki: false, upgrades: false, ...features },
      site: this.#site,
      decide,
      wire: this.#wire,
      faults: this.faults,
      work: this.#work,
      discovery: () => this.#discovery,
      pauseStore,
      events: this.story.sink(life),
      log: {
        info: () => {},
        warn: (_fields, message) => this.warnings.push(message),
        error: ({ err }) => this.errors.push(err),
      },
    });
    this.provisioners.push(provisioner);
    void provisioner.start();
    return provisioner;
  }

  /** The provisioner dies without a word, and comes back with nothing in memory. */
  crashProvisioner(ms = downMs): void {
    if (this.#provisioner === undefined) return;
    this.#provisioner.life.end();
    this.#provisioner = undefined;
    this.clock.setTimer(ms, () => this.startProvisioner());
  }

  /** The provisioner is told to stop, and started again when it is gone. */
  async restartProvisioner(graceMs = 20_000, ms = downMs): Promise<void> {
    const provisioner = this.#provisioner;
    if (provisioner === undefined) return;
    await provisioner.stop(graceMs);
    if (this.#provisioner === provisioner) this.#provisioner = undefined;
    this.clock.setTimer(ms, () => this.startProvisioner());
  }

  /** The operator pauses. It outlives the process. */
  pause(): void {
    void this.#provisioner?.pause.pause('operator', 'as the test says');
  }

  resume(): void {
    void this.#provisioner?.pause.resume('operator', 'as the test says');
  }

  /** Lets time pass: milliseconds. */
  advance(ms: number): Promise<void> {
    return this.clock.advance(ms);
  }

  /** Lets time pass until something is so. @throws Error where it is not within so many milliseconds */
  async until(isSo: () => boolean, withinMs: number, what = 'what was waited for'): Promise<void> {
    for (let passed = 0; !isSo(); passed += 1_000) {
      if (passed >= withinMs) throw new Error(`${what} is not so after ${withinMs} ms\n${this.told()}`);
      await this.advance(1_000);
    }
  }

  /** Whether the provisioner has told that the node came up with what it committed last. */
  confirmed(node: WorldNode): boolean {
    const last = node.commits.at(-1);
    const { confirmations } = this.story.of(node.identity);
    return node.phase === 'CONFIGURED' && confirmations.some(({ runId }) => runId === last?.runId);
  }

  /**
   * What must not be, now or at any moment before: records of the fleet that contradict each other, two runs of a node
   * at once, a run that ended twice or not at all, that committed two configurations, or failed by a fault of its own;
   * keys, tokens and certificates on a disk that do not belong together. To be asked when no run goes on.
   */
  async problems(): Promise<string[]> {
    const faults = this.errors.map((error) => `a run ended by a fault of its own: ${String(error)}`);
    return [...faults, ...this.#invariants.broken(this.story, this.nodes, this.provisioners)];
  }

  /** What was not as it must be at any time, until now: the part of {@link problems} that can be asked at any moment. */
  get broken(): readonly string[] {
    return this.#invariants.soFar;
  }

  /** All that happened to the nodes, for people. */
  told(): string {
    return this.nodes
      .map((node) => {
        const lines = [...this.story.of(node.identity).lines, ...node.errors];
        return `${node.identity} ${node.phase}\n  ${lines.join('\n  ')}`;
      })
      .join('\n');
  }

  readonly #nodeAt = (address: string): WorldNode | undefined =>
    this.nodes.find((node) => node.address === address);

  get #settings(): WorldSettings {
    return { ...defaultSettings, ...this.#options.settings };
  }
}

/** No jitter. */
function middling(): number {
  return 0.5;
}

let site: Promise<Site> | undefined;

/** One for all worlds of a process: its keys take a moment to make. */
function openSite(): Promise<Site> {
  site ??= Site.open(new FakeClock().now() / 1000);
  return site;
}
