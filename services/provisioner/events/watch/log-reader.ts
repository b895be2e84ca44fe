// The log of events as its readers see it. Who writes it, and where, is not their matter.

import type { ProvisioningEvent } from '../event.js';

/** What of an event a filter looks at. */
export interface EventHeader {
  readonly type: ProvisioningEvent['type'];
  readonly identity: string;
  readonly runId: string;
  readonly outcome: string;
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

export interface EventLogReader {
  readonly logId: string;
  readonly first: number;
  readonly last: number;
  read(after: number, max: number): LogItem[];
  onCommitted(listener: () => void): () => void;
}
