// What is needed to recognise, or to ask a node for, the confirmation of a run.

import type { RunId } from '../../../shared/identity.js';
import type { SightedNode } from '../fleet/node-event.js';

export interface PendingConfirmation {
  readonly node: SightedNode;
  readonly runId: RunId;
  /** Hex SHA-256 of what the node was sent. */
  readonly configurationDigest: string;
}
