// An agent of the mock node on a disk and a clock of the test's, boot after boot, and calls to it.

import { randomBytes } from 'node:crypto';
import { Agent } from '../../services/mock-node/agent/agent.js';
import type { AgentOptions } from '../../services/mock-node/agent/agent-options.js';
import type { Call, PendingStop } from '../../services/mock-node/agent/call.js';
import type { Configuration } from '../../services/mock-node/agent/configuration.js';
import { newCsr } from '../../services/mock-node/agent/own-keys.js';
import { RefusedError } from '../../services/mock-node/agent/refusal.js';
import { Slots } from '../../services/mock-node/slots.js';
import { NodeStore } from '../../services/mock-node/state/node-store.js';
import { type NodeOnDisk, readNodeState } from '../../services/mock-node/state/read-node-state.js';
import { type Identity, newBootId, newRunId, parseIdentity, type RunId } from '../../shared/identity.js';
import { silentLogger } from '../../shared/logger.js';
import { Secret } from '../../shared/secret.js';
import { agentConfiguration } from './agent-configurations.js';
import { CrashingFiles } from './crashing-files.js';
import { FakeClock } from './fake-clock.js';

export interface Run {
  readonly runId: RunId;
  readonly fence: bigint;
}

export class AgentBench {
  readonly identity = parseIdentity('web-1') as Identity;
  readonly directory = '/nodes/web-1';
  readonly clock = new FakeClock();
  readonly files = new CrashingFiles();
  /** Stops that agents accepted. */
  readonly stops: PendingStop[] = [];
  /** Upgrades that agents accepted, and those of them that failed. */
  readonly upgrades = { accepted: 0, failed: 0 };
  /** Configurations that agents committed. */
  commits = 0;
  /** Of the boot that is up. */
  bootId = newBootId();
  challenge: Uint8Array = randomBytes(32);
  #fence = 1n;

  /** Boots from what is on the disk. */
  async boot(secret?: string, changes: Partial<AgentOptions> = {}): Promise<Agent> {
    const { identity, directory, files, clock } = this;
    const { provisioningByDefault = false } = changes;
    const store = new NodeStore({ identity, directory, files, disk: new Slots(4) });
    const { provisioning } = await store.open(provisioningByDefault, clock.now());
    this.bootId = newBootId();
    this.challenge = randomBytes(32);
    return new Agent({
      identity,
      bootId: this.bootId,
      challenge: this.challenge,
      certificateSha256: '',
      version: '1.0',
      upgradable: true,
      upgradeTimeMs: 1_000,
      token: undefined,
      secret: secret === undefined ? undefined : new Secret(secret),
      provisioning,
      provisioningByDefault,
      directory,
      store,
      newCsr,
      clock,
      random: () => 0.5,
      log: silentLogger(),
      onStopAccepted: (stop) => this.stops.push(stop),
      onUpgradeAccepted: () => {
        this.upgrades.accepted += 1;
      },
      onUpgradeFailed: () => {
        this.upgrades.failed += 1;
      },
      onCommitted: () => {
        this.commits += 1;
      },
      ...changes,
    });
  }

  /** A run whose fence is higher than those before. */
  newRun(): Run {
    this.#fence += 1n;
    return { runId: newRunId(), fence: this.#fence };
  }

  /** A call of the run to the boot that is up. */
  callOf(
    { runId, fence }: Run,
    changes: Partial<Call['caller']> = {},
    signal = new AbortController().signal,
  ): Call {
    const caller = {
      identity: this.identity,
      boot: this.bootId,
      proof: '',
      site: 'default',
      provisioner: 'p1',
      run: runId,
      fence,
      ...changes,
    };
    return { caller, signal };
  }

  onDisk(): Promise<NodeOnDisk> {
    return readNodeState(this.directory, this.files);
  }

  /** Makes the next write of a path that matches wait until the returned function is called. */
  holdWrites(matching: RegExp): () => void {
    let release: () => void = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    this.files.beforeWrite = (path) => (matching.test(path) ? released : Promise.resolve());
    return release;
  }
}

/** A configuration of which every part says which one it is. */
export function configuration(version: number, more: Record<string, string> = {}): Configuration {
  return agentConfiguration({
    digest: version.toString(16).padStart(64, '0'),
    configurationJson: JSON.stringify({ version: String(version), ...more }),
    actionPolicies: new Map([['a.policy', `policy ${version}`]]),
  });
}

/** @returns the reason for which a call was refused, or `done` */
export async function reasonOf(call: Promise<unknown>): Promise<string> {
  return await call.then(
    () => 'done',
    (error) => (error instanceof RefusedError ? error.reason : String(error)),
  );
}
