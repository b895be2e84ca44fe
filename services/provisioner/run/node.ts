// A node as the sequence sees it: what can be asked of its agent, and how a call can fail. How calls travel
// is node-client.ts's matter.

import type { BootId, Identity, RunId } from '../../../shared/identity.js';
import type { Secret } from '../../../shared/secret.js';
import type { Configuration } from './configuration.js';
import type { Inventory } from './inventory.js';

/** What an agent can do. */
export interface NodeFeatures {
  readonly jwt: boolean;
  readonly ed25519: boolean;
  readonly pki: boolean;
  readonly upgrades: boolean;
}

/** What a node says of itself to anybody. */
export interface NodeDescription {
  readonly identity: Identity;
  readonly bootId: BootId;
  /** 32 bytes, made once per boot; the proof is computed over them. */
  readonly challenge: Uint8Array;
  /** True where the node accepts configuration now. */
  readonly provisioning: boolean;
  readonly version: string;
  readonly features: NodeFeatures;
}

/** A provisioning token as the node gives it; nobody has looked into it yet. */
export interface NodeToken {
  readonly jwt: Secret;
  /** X25519 public key of the pair that the call made, 32 bytes, not of low order. */
  readonly ecdhPublic: Uint8Array;
}

/** A key that the node made. Whether the signature fits is not looked at yet. */
export interface NodeKey {
  /** ed25519, 32 bytes. */
  readonly publicKey: Uint8Array;
  /** 64 bytes. */
  readonly signature: Uint8Array;
  /** Absolute path of the directory that holds its seed. */
  readonly directory: string;
}

/** A certificate signing request as the node gives it; nobody has looked into it yet. */
export interface NodeCsr {
  readonly csrPem: string;
  readonly publicKeyPem: string;
  /** Absolute path of the directory that holds its key; empty where the node does not say. */
  readonly sslDir: string;
}

/** Who calls: goes with every call but Identify. */
export interface Caller {
  readonly identity: Identity;
  readonly bootId: BootId;
  readonly challenge: Uint8Array;
  readonly runId: RunId;
  readonly fence: bigint;
  /** The provisioning secret; undefined where the site has none. */
  readonly secret: Secret | undefined;
}

/** A release to change to, and where it is to be had. */
export interface Release {
  /** Address of the repository of releases. */
  readonly repository: string;
  readonly version: string;
}

export interface CallLimits {
  /** Milliseconds. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** How far a run has come on a node. */
export type RunStage =
  | 'NONE'
  | 'KEYED'
  | 'CONFIGURED'
  | 'RESTARTING'
  | 'UPGRADING'
  | 'UPGRADED'
  | 'STOPPING'
  | 'CONFIRMED'
  | 'FAILED';

export interface RunStatus {
  readonly stage: RunStage;
  /** Hex SHA-256 of what the run committed; empty where it committed nothing. */
  readonly configurationDigest: string;
}

/** A node that has accepted to restart. */
export interface RestartNotice {
  /** The node's sentence for people. */
  readonly message: string;
  /** Milliseconds. */
  readonly restartingInMs: number;
}

/**
 * The agent on one node, over one channel. Every call rejects with a {@link NodeCallError} where it failed and
 * with the signal's reason where it was aborted.
 */
export interface NodeAgent {
  identify(limits: CallLimits): Promise<NodeDescription>;
  getJwt(caller: Caller, limits: CallLimits): Promise<NodeToken>;
  /** @param nonce 32 random bytes of this attempt */
  generateKey(caller: Caller, nonce: Uint8Array, limits: CallLimits): Promise<NodeKey>;
  getInventory(caller: Caller, limits: CallLimits): Promise<Inventory>;
  generateCsr(caller: Caller, commonName: string, limits: CallLimits): Promise<NodeCsr>;
  updateRelease(caller: Caller, release: Release, limits: CallLimits): Promise<void>;
  /** @returns hex digest of what the node committed */
  configure(caller: Caller, configuration: Configuration, limits: CallLimits): Promise<string>;
  restart(caller: Caller, splayMs: number, limits: CallLimits): Promise<void>;
  shutdown(caller: Caller, limits: CallLimits): Promise<void>;
  /** Puts a node that is not in provisioning mode back into it. */
  reprovision(caller: Caller, limits: CallLimits): Promise<RestartNotice>;
  /** Asks about the caller's own run. */
  getRunStatus(caller: Caller, limits: CallLimits): Promise<RunStatus>;
  /** Closes the channel. */
  close(): void;
}

/** Where a node is, and what it must show. */
export interface NodeAddress {
  /** IP address and port, IPv6 in brackets. */
  readonly address: string;
  /** Hex SHA-256 of its boot certificate (DER); empty where it has none. */
  readonly certificateSha256: string;
  /**
   * True where another boot than that of the certificate may answer: then any certificate is taken, and the
   * proofs of calls are bound to it. Default false.
   */
  readonly anyBoot?: boolean;
}

/**
 * Opens a channel to a node. Nothing is sent before the first call.
 *
 * @throws NodeCallError where the address may not be dialled
 */
export type Dial = (node: NodeAddress) => NodeAgent;

/** A channel to whoever is at an address. */
export interface Contact {
  readonly agent: NodeAgent;
  /** Hex SHA-256 of the certificate that it shows, which is then the only one that is taken; empty without TLS. */
  readonly certificateSha256: () => string;
}

/**
 * Opens a channel to a node of which only the address is known (design, section 8, "First contact").
 *
 * @param address IP address and port, IPv6 in brackets
 * @throws NodeCallError where the address may not be dialled
 */
export type FirstContact = (address: string) => Contact;

/** Names of gRPC's status codes. */
export type CallCode =
  | 'CANCELLED'
  | 'UNKNOWN'
  | 'INVALID_ARGUMENT'
  | 'DEADLINE_EXCEEDED'
  | 'NOT_FOUND'
  | 'ALREADY_EXISTS'
  | 'PERMISSION_DENIED'
  | 'RESOURCE_EXHAUSTED'
  | 'FAILED_PRECONDITION'
  | 'ABORTED'
  | 'OUT_OF_RANGE'
  | 'UNIMPLEMENTED'
  | 'INTERNAL'
  | 'UNAVAILABLE'
  | 'DATA_LOSS'
  | 'UNAUTHENTICATED';

/** How a call failed. */
export type CallFailure =
  /** The request never left: certainly without effect. */
  | {
      readonly kind: 'NOT_SENT';
      readonly code: CallCode;
      readonly message: string;
      /** True where whoever answers shows another certificate than the node's boot has: another boot, or nobody
       * that is known. */
      readonly anotherCertificate?: boolean;
    }
  /** The node, or somebody on the way, answered with a status, or nobody answered in time. */
  | {
      readonly kind: 'STATUS';
      readonly code: CallCode;
      /** The agent's stable reason; empty where it gave none. */
      readonly reason: string;
      readonly metadata: Readonly<Record<string, string>>;
      readonly retryAfterMs: number | undefined;
      readonly message: string;
    }
  /** The call succeeded, but its reply is not what the contract says. */
  | { readonly kind: 'REPLY_INVALID'; readonly message: string }
  /** The call succeeded, but its reply is larger than such a reply may be. */
  | { readonly kind: 'REPLY_TOO_LARGE'; readonly message: string };

/** A call to a node that failed. */
export class NodeCallError extends Error {
  override readonly name = 'NodeCallError';
  readonly failure: CallFailure;

  constructor(failure: CallFailure, options?: ErrorOptions) {
    super(failure.message, options);
    this.failure = failure;
  }
}
