// The log of events as its readers see it. Who writes it, and where, is not their matter.

import type { ProvisioningEvent } from '../event.js';

/** What of an event a filter looks at. */
export interface EventHeader {
  readonly type: ProvisioningEvent['type'];
  readonly identity: string;
  readonly runId: string;
  readonly outcome: string;
  /** Hex digest of the configuration that a run made: of RUN_FINISHED, where it made one. */
  readonly configurationDigest?: string;
}

export type GapCause = 'RETENTION' | 'WRITE_FAILED';

export interface LogEvent {
  readonly kind: 'EVENT';
  readonly sequence: number;
  readonly bytes: Buffer;
  readonly header: EventHeader;
}

export interface LogGap {
  readonly kind: 'GAP';
  readonly first: number;
  readonly last: number;
  readonly reason: GapCause;
}

export type LogItem = LogEvent | LogGap;

export type Order = 'OLDEST_FIRST' | 'NEWEST_FIRST';

/** A part of the log that is read at once. */
export interface Stretch {
  readonly order: Order;
  /** Oldest first: number of the event after which it begins. Newest first: that of the first to look at. */
  readonly at: number;
  /** The most items. */
  readonly max: number;
}

export interface EventLogReader {
  readonly logId: string;
  readonly first: number;
  readonly last: number;
  read(after: number, max: number): LogItem[];
  /**
   * The events of one node, and all gaps. Oldest first a gap tells what was removed after `at`; newest first it does
   * not.
   */
  readOf(identity: string, stretch: Stretch): LogItem[];
  onCommitted(listener: () => void): () => void;
}
