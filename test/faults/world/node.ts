// A machine of the world: its disk, and the mock node that boots from it again and again. It can be crashed, rebooted
// and started, as machines are.

import { randomBytes, randomUUID } from 'node:crypto';
import type { Agent } from '../../../services/mock-node/agent/agent.js';
import type { Report } from '../../../services/mock-node/reports/report.js';
import { Slots } from '../../../services/mock-node/slots.js';
import { NodeStore } from '../../../services/mock-node/state/node-store.js';
import { type NodeOnDisk, readNodeState } from '../../../services/mock-node/state/read-node-state.js';
import { Node, type Phase } from '../../../services/mock-node/swarm/node.js';
import type { Identity, RunId } from '../../../shared/identity.js';
import { loggerTo } from '../../../shared/logger.js';
import type { Random } from '../../../shared/random.js';
import type { Secret } from '../../../shared/secret.js';
import { CrashingFiles } from '../../fakes/crashing-files.js';
import type { FakeClock } from '../../fakes/fake-clock.js';
import { newCertificate, newCsr } from './boot-keys.js';
import { Life } from './life.js';
import { tellingOfPowerLoss } from './power.js';

export interface WorldNodeOptions {
  readonly identity: Identity;
  /** IP address; the port is the same for all. */
  readonly ip: string;
  readonly clock: FakeClock;
  readonly random: Random;
  readonly token: Secret | undefined;
  readonly secret: Secret;
  readonly version: string;
  /** Makes one attempt to tell discovery. @returns milliseconds until the next report */
  readonly report: (report: Report, certificateSha256: string, ip: string) => Promise<number>;
}

/** The agent that answers now. */
export interface NodeBoot {
  readonly agent: Agent;
  readonly certificateSha256: string;
  /** Aborted when its connections break. */
  readonly ended: AbortSignal;
}

/** A configuration that the node committed. */
export interface Commit {
  readonly runId: RunId;
  readonly digest: string;
}

export interface CrashOptions {
  /** How long it is down: milliseconds. Default 1 s. */
  readonly downMs?: number;
  /** Of so many changes that were not synced, how many reach the disk. Default all, as where only the process dies. */
  readonly kept?: (unsynced: number) => number;
}

const downMs = 1_000;
const upgradeTimeMs = 500;
const port = 7430;

export class WorldNode {
  readonly #options: WorldNodeOptions;
  readonly directory: string;
  readonly files = new CrashingFiles();
  /** Repeats of what waits already are not told. */
  readonly commits: Commit[] = [];
  /** How often it came up. */
  boots = 0;
  /** What it logged as errors, such as that it cannot start from what is on its disk. */
  readonly errors: string[] = [];
  /** How often it died without a word. */
  crashes = 0;
  #life = new Life();
  #node: Node | undefined;
  #changesSeen = 0;
  #store: NodeStore | undefined;
  #certificate = '';
  #connections = new AbortController();
  /** It is down, and comes up by itself. */
  #comesUp = false;
  #gone = false;

  constructor(options: WorldNodeOptions) {
    this.#options = options;
    this.directory = `/nodes/${options.identity}`;
  }

  get identity(): Identity {
    return this.#options.identity;
  }

  get address(): string {
    return `${this.#options.ip}:${port}`;
  }

  /** True once it has vanished. */
  get isGone(): boolean {
    return this.#gone;
  }

  get phase(): Phase {
    if (this.#gone) return 'STOPPED';
    return this.#comesUp ? 'DOWN' : (this.#node?.phase ?? 'STOPPED');
  }

  /** The boot that answers; undefined while it is down. */
  get boot(): NodeBoot | undefined {
    const agent = this.#node?.agent;
    if (agent === undefined || this.#life.isOver) return undefined;
    return { agent, certificateSha256: this.#certificate, ended: this.#connections.signal };
  }

  /** Boots from what is on the disk. Does nothing where it is up, or about to be. */
  start(): void {
    if (this.phase !== 'STOPPED' || this.#gone) return;
    this.#boot();
  }

  /** The process, or the whole machine, dies without a word, and comes up again. */
  crash({ downMs: ms = downMs, kept = (unsynced) => unsynced }: CrashOptions = {}): void {
    if (this.#comesUp || this.phase === 'STOPPED') return;
    this.crashes += 1;
    this.#goDown(ms, kept);
    // What was begun already does not reach a disk that is read again.
    this.files.crashAt(1);
  }

  /** The power is cut within the change to its disk of this number, counted from 1 and from now; see {@link crash}. */
  cutPowerAt(change: number): void {
    this.files.crashAt(change);
  }

  /** Goes down in order, saying so, and comes up again. */
  reboot(ms = downMs): void {
    const node = this.#node;
    if (this.#comesUp || node === undefined || this.phase === 'STOPPED') return;
    const life = this.#life;
    void node.end(1_000).then(() => {
      if (!life.isOver) this.#goDown(ms, (unsynced) => unsynced);
    });
  }

  /** It dies without a word, and never comes back. */
  vanish(): void {
    this.#gone = true;
    this.#life.end();
    this.#connections.abort();
  }

  /** Whether its disk, as far as it can be read, was changed since this was last asked. */
  get diskHasChanged(): boolean {
    if (this.boot === undefined || this.files.operations === this.#changesSeen) return false;
    this.#changesSeen = this.files.operations;
    return true;
  }

  /** What it has on disk now. */
  onDisk(): Promise<NodeOnDisk> {
    return readNodeState(this.directory, this.files);
  }

  #goDown(ms: number, kept: (unsynced: number) => number): void {
    this.#life.end();
    this.#connections.abort();
    this.#comesUp = true;
    this.#options.clock.setTimer(ms, () => {
      if (this.#gone) return;
      this.files.reboot(kept);
      this.#comesUp = false;
      this.#boot();
    });
  }

  #boot(): void {
    const { identity, ip, clock, random, secret, token, version, report } = this.#options;
    const life = new Life();
    const disk = tellingOfPowerLoss(this.files, () => this.crash({ kept: () => 0 }));
    this.#life = life;
    const node = new Node({
      identity,
      host: ip,
      port,
      version,
      upgradable: true,
      upgradeTimeMs,
      directory: this.directory,
      downMs,
      newCredentials: async () => {
        const certificate = newCertificate();
        this.#certificate = certificate.sha256;
        const registry = {
          report: (said: Report, signal: AbortSignal) =>
            life.during(() => unlessAborted(report(said, certificate.sha256, ip), signal)),
        };
        const credentials = { certificate, token, secret, provisioningByDefault: false, registry };
        return { ...credentials, release: () => {} };
      },
      newCsr,
      newStore: () => {
        this.#store = new NodeStore({
          identity,
          directory: this.directory,
          files: life.files(disk),
          disk: new Slots(4),
        });
        return this.#store;
      },
      randomBytes,
      newEventId: randomUUID,
      clock: life.clock(clock),
      random,
      log: loggerTo(
        { write: (line) => this.errors.push(line) },
        { service: 'node', site: 'default', level: 'error' },
      ),
      onPhase: (_from, to) => this.#entered(life, to),
      onCommitted: () => this.#committed(),
      cutConnections: () => this.#connections.abort(),
    });
    this.#node = node;
    void node.start();
  }

  #entered(life: Life, phase: Phase): void {
    if (life !== this.#life) return;
    if (phase === 'PROVISIONING' || phase === 'CONFIGURED') {
      this.boots += 1;
      this.#connections = new AbortController();
    } else if (phase !== 'STOPPING') {
      this.#connections.abort();
    }
  }

  #committed(): void {
    const configuration = this.#store?.state.configuration;
    if (configuration === undefined) throw new Error('told of a commit, and nothing is there');
    this.commits.push({ runId: configuration.runId, digest: configuration.digest });
  }
}

/** Whoever gives up on it hears of it at once. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
