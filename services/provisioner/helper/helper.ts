// The helper as the sequence sees it: JSON in, a decision out (design, section 7).

import type { Identity } from '../../../shared/identity.js';
import type { Secret } from '../../../shared/secret.js';
import type { Inventory } from '../run/inventory.js';
import type { NodeCsr, NodeKey } from '../run/node.js';
import type { HelperFailureReason } from '../run/outcome.js';

/** What the helper is told of a node. What is missing belongs to a feature that is off. */
export interface HelperInput {
  readonly identity: Identity;
  /** Checked. */
  readonly csr?: NodeCsr | undefined;
  /** Checked. */
  readonly key?: NodeKey | undefined;
  readonly inventory: Inventory;
  /** Verified claims of its provisioning token, without secrets: JSON text of an object. */
  readonly claimsJson?: string | undefined;
}

/** What the helper decided, checked. An absent string is empty, an absent object has no entries. */
export interface HelperReply {
  readonly defer: boolean;
  readonly shutdown: boolean;
  readonly msg: string;
  /** A private key for the node, as the helper gave it; undefined where it gave none. */
  readonly key: Secret | undefined;
  readonly certificate: string;
  readonly ca: string;
  readonly ssldir: string;
  readonly upgrade: string;
  readonly configuration: ReadonlyMap<string, string>;
  readonly actionPolicies: ReadonlyMap<string, string>;
  readonly opaPolicies: ReadonlyMap<string, string>;
  /** Milliseconds, at most 24 h; undefined where the helper did not say. */
  readonly retryAfterMs: number | undefined;
  /** Claims for the node's server token; absent where the helper gave none. */
  readonly serverClaims?: ServerClaims;
}

/** What the helper wants in the node's server token. What is absent is left to the defaults. */
export interface ServerClaims {
  readonly ou?: string;
  /** As the helper gave it: a moment in Unix seconds or, under 10⁹, seconds from now. */
  readonly exp?: number;
  readonly collectives?: readonly string[];
  readonly pubSubjects?: readonly string[];
  readonly permissions?: ServerPermissions;
}

export interface ServerPermissions {
  readonly submission?: boolean;
  readonly streams?: boolean;
  readonly governor?: boolean;
  readonly serviceHost?: boolean;
}

/** The helper gave no usable reply. */
export class HelperError extends Error {
  override readonly name = 'HelperError';
  readonly reason: HelperFailureReason;

  constructor(reason: HelperFailureReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** What a caller may want to know while it waits. */
export interface AskOptions {
  /** Called once, when the wait for a free slot is over and the helper is about to start. */
  readonly onStart?: () => void;
}

/** Runs the site's helper. */
export interface Helper {
  /**
   * Asks the helper for one node's configuration. Waits for a free slot first; the time limit starts
   * when the helper does.
   *
   * @throws HelperError with a stable reason; the signal's reason where it was aborted
   */
  ask(input: HelperInput, signal: AbortSignal, options?: AskOptions): Promise<HelperReply>;
}
