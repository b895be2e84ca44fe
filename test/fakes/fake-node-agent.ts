// A node for tests of the sequence: it does what an agent does, counts what was asked of it, and fails as it
// is told. No network.

import { randomBytes } from 'node:crypto';
import type { Configuration } from '../../services/provisioner/run/configuration.js';
import { configurationDigestOf } from '../../services/provisioner/run/convert.js';
import type { Inventory } from '../../services/provisioner/run/inventory.js';
import {
  type CallCode,
  type Caller,
  type CallFailure,
  type CallLimits,
  type Dial,
  type FirstContact,
  type NodeAgent,
  NodeCallError,
  type NodeDescription,
  type NodeFeatures,
  type Release,
  type RunStage,
} from '../../services/provisioner/run/node.js';
import type { Clock } from '../../shared/clock.js';
import { type BootId, type Identity, newBootId, parseIdentity, type RunId } from '../../shared/identity.js';
import { NodeKeys } from './node-keys.js';

export type FakeRpc =
  | 'identify'
  | 'getJwt'
  | 'generateKey'
  | 'getInventory'
  | 'generateCsr'
  | 'updateRelease'
  | 'configure'
  | 'restart'
  | 'shutdown'
  | 'reprovision'
  | 'getRunStatus';

/** What happens to one call. */
export type Fault =
  /** Nothing. */
  | { readonly kind: 'NONE' }
  /** It fails without having been done. */
  | { readonly kind: 'FAIL'; readonly failure: CallFailure }
  /** It is done, and its reply lost. */
  | { readonly kind: 'LOSE_REPLY'; readonly failure: CallFailure }
  /** Nobody answers until the caller gives up. */
  | { readonly kind: 'HANG'; readonly done?: boolean };

interface RunRecord {
  stage: RunStage;
  configurationDigest: string;
}

export interface RecordedCall {
  readonly rpc: FakeRpc;
  readonly caller: Caller | undefined;
  readonly timeoutMs: number;
}

export class FakeNode {
  identity: Identity = parseIdentity('n1.example.net') as Identity;
  bootId: BootId = newBootId();
  challenge: Uint8Array = randomBytes(32);
  provisioning = true;
  version = '1.0.0';
  /** What it shows, hex; empty without TLS. */
  certificateSha256 = '';
  features: NodeFeatures = { jwt: true, ed25519: true, pki: true, upgrades: true };
  readonly keys = new NodeKeys();
  /** What GetInventory gives. */
  inventory: Inventory = {
    version: '1.0.0',
    upgradable: false,
    agents: ['discovery'],
    classes: [],
    collectives: ['mcollective'],
    mainCollective: 'mcollective',
    dataPlugins: [],
    machinesJson: '[]',
    factsJson: '{"os":"linux"}',
  };
  /** The secret that a caller must know; undefined accepts any. */
  secret: string | undefined;
  /** Nobody is there: connections are refused. */
  gone = false;
  /** The greatest fence seen, and by which run. */
  fence: { value: bigint; runId: RunId | undefined; idleSeconds: string } | undefined;
  readonly records = new Map<RunId, RunRecord>();
  /** Configurations that were committed, in order. */
  readonly committed: Configuration[] = [];
  /** Releases that it changed to, in order. */
  readonly upgrades: Release[] = [];
  /** Upgrades take long: those that were begun are still going on. */
  upgradeGoesOn = false;
  readonly calls: RecordedCall[] = [];
  /** Called before each call is looked at. */
  onCall: ((call: RecordedCall) => void) | undefined;
  openChannels = 0;
  /** Calls that it is about to answer. */
  working = 0;
  /** Why its address may not be dialled. */
  refuseDial: string | undefined;
  /** What the digest of a commit is said to be, where not its own. */
  digestOverride: string | undefined;
  restarts = 0;
  readonly #clock: Clock;
  readonly #faults = new Map<FakeRpc, Fault[]>();
  #pending:
    | { readonly rpc: 'restart' | 'shutdown' | 'updateRelease' | 'reprovision'; readonly runId: RunId }
    | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** What happens to the next calls of one RPC, in order; after that nothing does. */
  fault(rpc: FakeRpc, ...faults: readonly Fault[]): void {
    this.#faults.set(rpc, [...(this.#faults.get(rpc) ?? []), ...faults]);
  }

  count(rpc: FakeRpc): number {
    return this.calls.filter((call) => call.rpc === rpc).length;
  }

  /** Another boot: configured where a configuration was committed, unless told otherwise. */
  reboot(options: { readonly configured?: boolean } = {}): void {
    const last = [...this.records].findLast(([, record]) => record.configurationDigest !== '');
    this.bootId = newBootId();
    this.challenge = randomBytes(32);
    this.#pending = undefined;
    this.gone = false;
    const configured = options.configured ?? last !== undefined;
    this.provisioning = !configured;
    if (configured && last !== undefined) last[1].stage = 'CONFIRMED';
  }

  /** Opens a channel to it, whoever it turns out to be. */
  readonly meet: FirstContact = (address) => {
    const agent = this.dial({ address, certificateSha256: '' });
    return { agent, certificateSha256: () => this.certificateSha256 };
  };

  /** Opens a channel to it. */
  readonly dial: Dial = () => {
    if (this.refuseDial !== undefined) {
      throw new NodeCallError({ kind: 'NOT_SENT', code: 'UNAVAILABLE', message: this.refuseDial });
    }
    this.openChannels += 1;
    return this.#agent();
  };

  #agent(): NodeAgent {
    let open = true;
    return {
      identify: (limits) => this.#call('identify', undefined, limits, () => this.#describe()),
      getJwt: (caller, limits) => this.#call('getJwt', caller, limits, () => this.keys.getJwt()),
      generateKey: (caller, nonce, limits) =>
        this.#call('generateKey', caller, limits, () =>
          this.keys.generateKey(this.identity, caller.runId, nonce),
        ),
      generateCsr: (caller, commonName, limits) =>
        this.#call('generateCsr', caller, limits, () => this.keys.generateCsr(commonName)),
      getInventory: (caller, limits) => this.#call('getInventory', caller, limits, () => this.inventory),
      updateRelease: (caller, release, limits) =>
        this.#call('updateRelease', caller, limits, () => this.#updateRelease(caller, release)),
      configure: (caller, configuration, limits) =>
        this.#call('configure', caller, limits, () => this.#configure(caller, configuration)),
      restart: (caller, _splayMs, limits) =>
        this.#call('restart', caller, limits, () => {
          this.#restart(caller);
        }),
      shutdown: (caller, limits) =>
        this.#call('shutdown', caller, limits, () => {
          this.#pending = { rpc: 'shutdown', runId: caller.runId };
          this.#record(caller.runId).stage = 'STOPPING';
        }),
      reprovision: (caller, limits) =>
        this.#call('reprovision', caller, limits, () => {
          this.#pending = { rpc: 'reprovision', runId: caller.runId };
          this.#record(caller.runId).stage = 'RESTARTING';
          return { message: 'restarting into provisioning mode', restartingInMs: 1_000 };
        }),
      getRunStatus: (caller, limits) =>
        this.#call('getRunStatus', caller, limits, () => ({ ...this.#record(caller.runId) })),
      close: () => {
        if (open) this.openChannels -= 1;
        open = false;
      },
    };
  }

  async #call<T>(
    rpc: FakeRpc,
    caller: Caller | undefined,
    limits: CallLimits,
    act: () => T | Promise<T>,
  ): Promise<T> {
    const call = { rpc, caller, timeoutMs: limits.timeoutMs };
    this.calls.push(call);
    this.onCall?.(call);
    await Promise.resolve();
    limits.signal.throwIfAborted();
    const fault = this.#faults.get(rpc)?.shift() ?? { kind: 'NONE' };
    if (fault.kind === 'FAIL') throw new NodeCallError(fault.failure);
    if (fault.kind === 'HANG') {
      if (fault.done === true) await this.#work(act);
      return await this.#hang(limits);
    }
    if (this.gone) throw new NodeCallError(refused);
    if (caller !== undefined) this.#check(rpc, caller);
    const reply = await this.#work(act);
    if (fault.kind === 'LOSE_REPLY') throw new NodeCallError(fault.failure);
    return reply;
  }

  async #work<T>(act: () => T | Promise<T>): Promise<T> {
    this.working += 1;
    try {
      return await act();
    } finally {
      this.working -= 1;
    }
  }

  #hang({ timeoutMs, signal }: CallLimits): Promise<never> {
    return new Promise((_, reject) => {
      const timer = this.#clock.setTimer(timeoutMs, () => reject(new NodeCallError(tooLate)));
      signal.addEventListener('abort', () => {
        timer.cancel();
        reject(signal.reason);
      });
    });
  }

  #describe(): NodeDescription {
    const { identity, bootId, challenge, version, features } = this;
    const provisioning = this.provisioning && !this.#pending;
    return { identity, bootId, challenge, provisioning, version, features };
  }

  #check(rpc: FakeRpc, caller: Caller): void {
    if (caller.identity !== this.identity) refuse('FAILED_PRECONDITION', 'IDENTITY_MISMATCH');
    if (caller.bootId !== this.bootId) refuse('FAILED_PRECONDITION', 'REBOOTED');
    if (this.secret !== undefined && caller.secret?.reveal() !== this.secret) {
      refuse('UNAUTHENTICATED', 'PROOF_INVALID');
    }
    if (rpc === 'reprovision' && this.provisioning) refuse('FAILED_PRECONDITION', 'PROVISIONING');
    const inBothModes = ['getRunStatus', 'reprovision'].includes(rpc);
    if (!inBothModes && !this.provisioning) refuse('FAILED_PRECONDITION', 'NOT_PROVISIONING');
    const joins = this.#pending?.rpc === rpc && this.#pending.runId === caller.runId;
    if (this.#pending && !joins && rpc !== 'getRunStatus') refuse('FAILED_PRECONDITION', 'STOPPING');
    this.#checkFence(caller);
  }

  #checkFence({ fence, runId }: Caller): void {
    const seen = this.fence;
    if (seen !== undefined && (fence < seen.value || (fence === seen.value && runId !== seen.runId))) {
      refuse('ABORTED', 'STALE_FENCE', { fence: `${seen.value}`, idle_seconds: seen.idleSeconds });
    }
    this.fence = { value: fence, runId, idleSeconds: '0' };
  }

  #configure({ runId }: Caller, configuration: Configuration): string {
    const { nodeEcdhPublic } = configuration;
    const { exchange } = this.keys;
    if (nodeEcdhPublic.length > 0 && exchange?.publicKey.equals(nodeEcdhPublic) !== true) {
      refuse('FAILED_PRECONDITION', 'KEY_CHANGED');
    }
    this.committed.push(configuration);
    const configurationDigest = this.digestOverride ?? configurationDigestOf(configuration);
    this.records.set(runId, { stage: 'CONFIGURED', configurationDigest });
    return configurationDigest;
  }

  /** What was committed before is withdrawn. A repeat joins. */
  #updateRelease({ runId }: Caller, release: Release): void {
    if (this.#pending?.rpc !== 'updateRelease') {
      for (const record of this.records.values()) record.configurationDigest = '';
      this.upgrades.push(release);
      this.version = release.version;
      this.inventory = { ...this.inventory, version: release.version };
      this.#pending = { rpc: 'updateRelease', runId };
    }
    this.#record(runId).stage = this.upgradeGoesOn ? 'UPGRADING' : 'UPGRADED';
  }

  #restart({ runId }: Caller): void {
    this.restarts += 1;
    this.#pending = { rpc: 'restart', runId };
    this.#record(runId).stage = 'RESTARTING';
  }

  #record(runId: RunId): RunRecord {
    const record = this.records.get(runId) ?? { stage: 'NONE', configurationDigest: '' };
    this.records.set(runId, record);
    return record;
  }
}

/** Another boot of the node answers at its address, with a certificate of its own. */
export const anotherCertificate: CallFailure = {
  kind: 'NOT_SENT',
  code: 'UNAVAILABLE',
  message: 'No connection established',
  anotherCertificate: true,
};

/** Connections are refused: the call was certainly not sent. */
export const refused: CallFailure = {
  kind: 'NOT_SENT',
  code: 'UNAVAILABLE',
  message: 'No connection established',
};

/** The connection broke while the call was under way. */
export const dropped: CallFailure = status('UNAVAILABLE', { message: 'Connection dropped' });

/** Nobody answered in time. */
export const tooLate: CallFailure = status('DEADLINE_EXCEEDED', { message: 'Deadline exceeded' });

/** A status as a node, or somebody on the way, answers it. */
export function status(
  code: CallCode,
  options: {
    readonly reason?: string;
    readonly message?: string;
    readonly retryAfterMs?: number;
    readonly metadata?: Readonly<Record<string, string>>;
  } = {},
): CallFailure {
  const { reason = '', message = 'as the test says', retryAfterMs, metadata = {} } = options;
  return { kind: 'STATUS', code, reason, message, retryAfterMs, metadata };
}

function refuse(code: CallCode, reason: string, metadata: Readonly<Record<string, string>> = {}): never {
  throw new NodeCallError(status(code, { reason, metadata }));
}
