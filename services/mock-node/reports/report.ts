// What a node reports of itself, and whom it reports to, in domain types (design, section 4).

import type { BootId, Identity, RunId } from '../../../shared/identity.js';

/** The configuration that a node came up with. */
export interface Provisioned {
  /** Undefined where no run put it there. */
  readonly runId: RunId | undefined;
  /** Hex; empty where no run put it there. */
  readonly configurationDigest: string;
}

export interface Report {
  /** UUID; a repeat of the same event keeps it. */
  readonly eventId: string;
  readonly type: 'STARTUP' | 'ALIVE' | 'PROVISIONED' | 'UPGRADED' | 'SHUTDOWN';
  readonly identity: Identity;
  readonly bootId: BootId;
  readonly version: string;
  /** Unix milliseconds. */
  readonly time: number;
  /** Rises with each report of a boot, from 1. */
  readonly sequence: number;
  /** Where the node serves; an empty host is the address that the report comes from. */
  readonly host: string;
  readonly port: number;
  /** For PROVISIONED. */
  readonly provisioned: Provisioned | undefined;
}

/** Takes reports. */
export interface Registry {
  /**
   * Makes one attempt.
   *
   * @returns milliseconds to wait before the next report
   * @throws RpcError; the signal's reason where it is aborted
   */
  report(report: Report, signal: AbortSignal): Promise<number>;
}
