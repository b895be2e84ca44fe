// What an agent is made of: who it is in this boot, what it holds, and what it needs of the machine.

import type { Logger } from '../../../shared/logger.js';
import type { Random } from '../../../shared/random.js';
import type { Secret } from '../../../shared/secret.js';
import type { NodeStore } from '../state/node-store.js';
import type { AdmissionOptions } from './admission.js';
import type { PendingStop } from './call.js';
import type { NewCsr } from './own-keys.js';

export interface AgentOptions extends AdmissionOptions {
  /** The release of a node that was never upgraded. */
  readonly version: string;
  /** Without, UpdateRelease is not served. */
  readonly upgradable: boolean;
  /** How long replacing the release takes: milliseconds. */
  readonly upgradeTimeMs: number;
  /** The provisioning token; without one GetJwt is not served. */
  readonly token: Secret | undefined;
  /** Whether settings that do not say so enable provisioning. */
  readonly provisioningByDefault: boolean;
  /** The node's folder, absolute. */
  readonly directory: string;
  /** Open already. */
  readonly store: NodeStore;
  /** Rejects with the signal's reason where it is aborted before the turn of this request has come. */
  readonly newCsr: NewCsr;
  readonly random: Random;
  readonly log: Logger;
  /** A stop was accepted and is on disk: the machine is to go down at its time. */
  readonly onStopAccepted: (stop: PendingStop) => void;
  /** An upgrade was accepted and is on disk: a stop will follow, unless it fails. */
  readonly onUpgradeAccepted: () => void;
  /** It failed: the node stays up as it was. */
  readonly onUpgradeFailed: () => void;
  /** A configuration was committed; repeats of one that waits already are not told. */
  readonly onCommitted: () => void;
}
