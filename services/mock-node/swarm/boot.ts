// One boot of a machine: what comes up from its disk, and is over some day. When that is, and what follows, is
// node.ts's matter.

import type { ServerCredentials } from '@grpc/grpc-js';
import type { Clock } from '../../../shared/clock.js';
import { type Identity, newBootId } from '../../../shared/identity.js';
import type { Logger } from '../../../shared/logger.js';
import type { Random } from '../../../shared/random.js';
import { Agent } from '../agent/agent.js';
import type { AgentOptions } from '../agent/agent-options.js';
import type { NewCsr } from '../agent/own-keys.js';
import type { ServedAgent } from '../agent/served-agent.js';
import type { BootCredentials } from '../boot/boot-credentials.js';
import type { Provisioned } from '../reports/report.js';
import { Reporter } from '../reports/reporter.js';
import type { NodeState } from '../state/node-state.js';
import type { NodeStore } from '../state/node-store.js';

export interface BootOptions {
  readonly identity: Identity;
  /** What the node reports of its address; an empty host is the address that its reports come from. */
  readonly host: string;
  readonly port: number;
  /** The release that the node was made with; what it is upgraded to is on its disk. */
  readonly version: string;
  readonly upgradable: boolean;
  /** How long replacing the release takes: milliseconds. */
  readonly upgradeTimeMs: number;
  /** The node's own folder, absolute. */
  readonly directory: string;
  /** Gives a boot what it has beside its disk. */
  readonly newCredentials: () => Promise<BootCredentials>;
  readonly newCsr: NewCsr;
  /** Opens what is on disk: a store of its own for each boot. */
  readonly newStore: () => NodeStore;
  readonly randomBytes: (size: number) => Uint8Array;
  readonly newEventId: () => string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly onCommitted: () => void;
  /** The agent as callers are to meet it. Default: as it is. */
  readonly disguise?: (agent: Agent) => ServedAgent;
}

/** What an agent tells of itself while it is up, and also while it goes down. */
export type Told = Pick<AgentOptions, 'onStopAccepted' | 'onUpgradeAccepted' | 'onUpgradeFailed'>;

interface Parts {
  readonly agent: Agent;
  readonly served: ServedAgent;
  readonly provisioning: boolean;
  readonly reporter: Reporter | undefined;
  readonly credentials: BootCredentials;
}

export class Boot {
  readonly agent: Agent;
  /** The same, as callers meet it. */
  readonly served: ServedAgent;
  /** Whether it came up in provisioning mode. */
  readonly provisioning: boolean;
  /** Undefined where the node does not report. */
  readonly reporter: Reporter | undefined;
  readonly #credentials: BootCredentials;

  private constructor({ agent, served, provisioning, reporter, credentials }: Parts) {
    this.agent = agent;
    this.served = served;
    this.provisioning = provisioning;
    this.reporter = reporter;
    this.#credentials = credentials;
  }

  /**
   * Comes up from what is on the disk. Nothing is reported yet.
   *
   * @throws StartError where what it holds cannot be read; ManifestError; errors of the file system
   */
  static async fromDisk(options: BootOptions, told: Told): Promise<Boot> {
    const credentials = await options.newCredentials();
    try {
      return await Boot.#with(credentials, options, told);
    } catch (error) {
      credentials.release();
      throw error;
    }
  }

  static async #with(credentials: BootCredentials, options: BootOptions, told: Told): Promise<Boot> {
    const { identity, host, port, newStore, clock, random, log } = options;
    const { certificate, provisioningByDefault, registry } = credentials;
    const { disguise = (honest) => honest } = options;
    const store = newStore();
    const { provisioning, upgraded } = await store.open(provisioningByDefault, clock.now());
    const agent = new Agent({
      ...options,
      ...told,
      bootId: newBootId(),
      challenge: options.randomBytes(32),
      certificateSha256: certificate?.sha256 ?? '',
      token: credentials.token,
      secret: credentials.secret,
      provisioning,
      provisioningByDefault,
      store,
    });
    const { bootId, version } = agent.identify();
    const reporter =
      registry &&
      new Reporter({
        registry,
        facts: { identity, bootId, version, host, port },
        upgraded,
        provisioned: provisioning ? undefined : provisionedBy(store.state),
        newEventId: options.newEventId,
        clock,
        random,
        log,
      });
    log.debug({ boot_id: bootId, provisioning }, 'booted');
    return new Boot({ agent, served: disguise(agent), provisioning, reporter, credentials });
  }

  /** What it serves with; undefined without TLS. */
  get serverCredentials(): ServerCredentials | undefined {
    return this.#credentials.certificate?.credentials;
  }

  /**
   * It is over: nothing is answered any more. When this resolves nothing of it uses the disk, which is the next boot's.
   *
   * @param lastWordsMs how long a report under way may take to get through: milliseconds
   */
  async end(lastWordsMs: number): Promise<void> {
    await Promise.all([this.agent.stop(), this.reporter?.close(lastWordsMs)]);
    this.#credentials.release();
  }
}

function provisionedBy({ configuration }: NodeState): Provisioned {
  return { runId: configuration?.runId, configurationDigest: configuration?.digest ?? '' };
}
