// One boot speaks for one identity: through a report that was checked, or through its answer to a probe.

import type { Identity } from '../../../shared/identity.js';
import type { Boot } from './boot.js';
import type { Configured, Labels, NodeSource } from './node.js';

/** What a report can say (design, section 4). */
export type ReportType = 'STARTUP' | 'ALIVE' | 'PROVISIONED' | 'UPGRADED' | 'SHUTDOWN';

export const reportTypes = [
  'STARTUP',
  'ALIVE',
  'PROVISIONED',
  'UPGRADED',
  'SHUTDOWN',
] as const satisfies readonly ReportType[];

/** How long a report is good for, and when the next one is wanted. */
export interface Reply {
  readonly leaseMs: number;
  readonly nextReportMs: number;
}

/** What a boot says of itself. */
interface Statement extends Boot, Configured {
  readonly type: ReportType;
  /** UUID, lower case; a repeat of the same event keeps it. Empty for an answer to a probe. */
  readonly eventId: string;
  readonly identity: Identity;
  readonly component: string;
  readonly version: string;
  readonly labels: Labels;
  /** At least 1; 0 for an answer to a probe. */
  readonly sequence: bigint;
  /** Hash of the bytes that were sent: tells a repeat from another report with the same sequence. */
  readonly digest: string;
}

/** A report whose form was checked. Its address is not known yet. */
export interface Report extends Statement {
  readonly port: number;
  /** The host that the node wants to be dialled at; empty where it names none. */
  readonly host: string;
}

export interface Announcement extends Statement {
  readonly source: NodeSource;
  /** IP address and port, IPv6 in brackets. */
  readonly address: string;
  /** Whom the bounds per source count it to; empty for an answer to a probe. */
  readonly origin: string;
  /** What the node is told; for an answer to a probe, its lease. */
  readonly reply: Reply;
}

/** Why a report is refused: stable names that nodes are told. */
export const refusalReasons = [
  'ARGUMENT_INVALID',
  'SIGNATURE_INVALID',
  'TOKEN_INVALID',
  'RATE_LIMITED',
  'SOURCE_RATE_LIMITED',
  'NODES_LIMIT',
  'SOURCE_NODES_LIMIT',
  'ADDRESS_REFUSED',
  'SEQUENCE_STALE',
  'SEQUENCE_REUSED',
  'CERTIFICATE_MISMATCH',
] as const;

export type RefusalReason = (typeof refusalReasons)[number];

export interface Refused {
  readonly kind: 'REFUSED';
  readonly reason: RefusalReason;
  /** A sentence for people. */
  readonly message: string;
  /** Milliseconds after which another try may succeed; undefined where waiting does not help. */
  readonly retryAfterMs?: number;
}

export type Outcome = { readonly kind: 'ACCEPTED'; readonly reply: Reply } | Refused;
