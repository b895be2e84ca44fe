// The fleet: what the provisioner knows of its nodes, and what becomes of them (design, section 5). Ties
// the table of admission, the records, the workers and the table of outcomes together.

import type { Clock } from '../../../shared/clock.js';
import type { BootId } from '../../../shared/identity.js';
import type { Random } from '../../../shared/random.js';
import type { EventSink, ReleaseCause } from '../events/event.js';
import type { StartRun } from '../run/run.js';
import { type Action, admission, type HostState, meaningOf } from './admission.js';
import { Aftermath } from './aftermath.js';
import type { Breaker } from './breaker.js';
import { Counters } from './counters.js';
import { Entry } from './entry.js';
import type { Freshness } from './freshness.js';
import { type Host, learnBootOfRun, note } from './host.js';
import { Hosts } from './hosts.js';
import { Incumbents, type IsStillThere } from './incumbents.js';
import type { Arrival, Conflict, Departure, NodeEvent, Sighting } from './node-event.js';
import { type HostView, Roster } from './roster.js';
import { UpgradedBoots } from './upgraded-boots.js';
import { Wishes } from './wishes.js';
import { Workers } from './workers.js';

export interface FleetOptions {
  /** Runs that go on at once. */
  readonly workers: number;
  /** Hosts that the queue holds. */
  readonly queueLimit: number;
  readonly holdMs: number;
  readonly backoffMaxMs: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly freshness: Freshness;
  /** The same that runs tell of the helper. */
  readonly breaker: Breaker;
  readonly startRun: StartRun;
  readonly isStillThere: IsStillThere;
  /** Told of each node that came up configured, unless another that is there has its name. */
  readonly arrived: (arrival: Arrival) => void;
  /** Told of each host that is forgotten, as it was. */
  readonly forgetting?: (host: HostView, cause: ReleaseCause) => void;
  readonly sink: EventSink;
}

/** The fleet in numbers, at this moment. */
export interface FleetStatus {
  readonly hosts: Readonly<Record<HostState, number>>;
  readonly queued: number;
  readonly oldestQueuedMs: number;
  readonly busyWorkers: number;
}

type HostEvent = Sighting | Departure | Arrival;

export class Fleet {
  /** For those who only look. */
  readonly roster: Roster;
  /** For operators. */
  readonly wishes: Wishes;
  readonly #clock: Clock;
  readonly #sink: EventSink;
  readonly #hosts: Hosts;
  readonly #workers: Workers;
  readonly #entry: Entry;
  readonly #incumbents: Incumbents;
  readonly #upgradedBoots: UpgradedBoots;
  readonly #arrived: (arrival: Arrival) => void;
  #paused = false;
  #stopping = false;

  constructor(options: FleetOptions) {
    const { clock, sink, freshness, holdMs, backoffMaxMs } = options;
    const counters = new Counters(clock);
    const hosts = new Hosts({
      ...options,
      forgetting: (host, cause) => options.forgetting?.(this.roster.view(host), cause),
    });
    this.roster = new Roster({ hosts, counters, freshness, clock });
    const policy = () => ({ holdMs, backoffMaxMs, intervalMs: freshness.intervalMs });
    const upgradedBoots = new UpgradedBoots(clock);
    const parts = { ...options, hosts, counters, upgradedBoots, policy };
    const entry = new Entry({ ...parts, queued: () => this.#workers.fill() });
    const standstill = () => (this.#stopping ? 'STOPPING' : this.#paused ? 'PAUSED' : undefined);
    const mayAdmit = () => standstill() === undefined;
    this.wishes = new Wishes({ ...parts, standstill, queued: () => this.#workers.fill() });
    const aftermath = new Aftermath({ ...parts, entry, mayAdmit });
    this.#clock = clock;
    this.#sink = sink;
    this.#hosts = hosts;
    this.#entry = entry;
    this.#upgradedBoots = upgradedBoots;
    this.#incumbents = new Incumbents(options.isStillThere);
    this.#arrived = (arrival) => {
      counters.cameUp(arrival.node.identity, arrival.node.bootId);
      options.arrived(arrival);
    };
    this.#workers = new Workers({
      ...parts,
      mayStart: mayAdmit,
      ended: (host, result, cutOffRun) => aftermath.ended(host, result, cutOffRun),
    });
    options.breaker.watch({
      opened: () => this.#workers.interrupt('BREAKER'),
      mayStart: () => this.#workers.fill(),
    });
  }

  get status(): FleetStatus {
    return {
      hosts: this.#hosts.counts,
      queued: this.#hosts.queued,
      oldestQueuedMs: this.#hosts.oldestQueuedMs,
      busyWorkers: this.#workers.busy,
    };
  }

  /** Takes what a discovery service says of a node. */
  handle(event: NodeEvent): void {
    if (event.type === 'CONFLICT') this.#publishConflict(event);
    else this.#apply(event);
    this.#workers.fill();
  }

  /** Admits nobody, starts nothing, and interrupts the runs before their point of no return. */
  pause(): void {
    this.#paused = true;
    this.#workers.interrupt('PAUSED');
  }

  resume(): void {
    this.#paused = false;
    this.#workers.fill();
  }

  /** Starts nothing any more and waits for the end of the runs, which are told that they have `graceMs`. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    await this.#workers.stop(graceMs);
  }

  /** @param gone the boot that was asked and did not answer, where one was */
  #apply(event: HostEvent, gone?: BootId): void {
    const { identity, bootId } = event.node;
    // It makes room for the boot with the release that it was told to change to, which may not be sighted yet.
    const isReplaced = this.#upgradedBoots.has(identity, bootId);
    const host = this.#hosts.get(identity);
    if (host === undefined) {
      const action = admission.UNKNOWN[meaningOf(event.type, isReplaced ? 'REPLACED' : 'NEW')];
      if (action === 'ADMIT' && !this.#paused && !this.#stopping) this.#entry.admit(event.node);
      if (event.type === 'PROVISIONED') this.#arrived(event);
      return;
    }
    learnBootOfRun(host);
    settleRun(host, event);
    const meaning = meaningOf(event.type, isReplaced ? 'REPLACED' : host.boots.relation(bootId));
    if (meaning !== 'NOTHING' && claimsName(host, event) && host.node.bootId !== gone) {
      this.#askIncumbent(host, event);
    } else {
      this.#act(admission[host.standing.kind][meaning], host, event);
      if (event.type === 'PROVISIONED') this.#arrived(event);
    }
  }

  #act(action: Action, host: Host, event: HostEvent): void {
    const now = this.#clock.monotonic();
    switch (action) {
      case 'IGNORE':
      case 'ADMIT':
        return;
      case 'REFRESH':
      case 'REFRESH_AND_FORGET':
      case 'NOTE':
        note(host, event, now);
        return;
      case 'NOTE_AND_SUPERSEDE':
        note(host, event, now);
        if (host.standing.kind === 'RUNNING') host.standing.run.interrupt('SUPERSEDED');
        return;
      case 'END_HOLD':
        note(host, event, now);
        this.#entry.endHold(host);
        return;
      case 'RELEASE':
        this.#hosts.release(host, event.type === 'PROVISIONED' ? 'CONFIGURED' : 'GONE');
    }
  }

  /** Another discovery service names another boot: two machines under one name, or the node moved on. */
  #askIncumbent(host: Host, event: HostEvent): void {
    const incumbent = host.node;
    this.#incumbents.ask(incumbent, (there) => {
      if (there) {
        const { address: newcomerAddress, bootId: newcomerBootId } = event.node;
        this.#publishConflict({ type: 'CONFLICT', node: incumbent, newcomerAddress, newcomerBootId });
        return;
      }
      this.#apply(event, incumbent.bootId);
      this.#workers.fill();
    });
  }

  #publishConflict({ node, newcomerAddress, newcomerBootId }: Conflict): void {
    const { identity, address, bootId } = node;
    const newcomer = { newcomerAddress, newcomerBootId };
    this.#sink.publish({ type: 'NODE_CONFLICT', identity, address, bootId, ...newcomer });
  }
}

/**
 * Whether another discovery service than the host's own, or that one restarted, speaks of another boot than the host
 * is in. A boot is known by its certificate too: its id is no secret, and a service that has not met the node cannot
 * tell who speaks for it.
 */
function claimsName(host: Host, { node }: HostEvent): boolean {
  if (node.discovery === host.node.discovery && node.epoch === host.node.epoch) return false;
  return node.bootId !== host.boots.current || node.certificateSha256 !== host.node.certificateSha256;
}

/** The node came up with the configuration of the run that is still busy with it. */
function settleRun(host: Host, event: HostEvent): void {
  if (event.type !== 'PROVISIONED' || host.standing.kind !== 'RUNNING') return;
  const { run } = host.standing;
  if (event.runId === run.runId) run.settle();
}
