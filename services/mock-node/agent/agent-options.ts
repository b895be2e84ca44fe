// What an agent is made of: who it is in this boot, what it holds, and what it needs of the machine.

import type { Logger } from '../../../shared/logger.js';
import type { Random } from '../../../shared/random.js';
import type { Secret } from '../../../shared/secret.js';
import type { NodeStore } from '../state/node-store.js';
import type { AdmissionOptions } from './admission.js';
import type { PendingStop } from './call.js';
import type { NewCsr } from './own-keys.js';

export interface AgentOptions extends AdmissionOptions {
  readonly version: string;
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
  /** A configuration was committed; repeats of one that waits already are not told. */
  readonly onCommitted: () => void;
}
