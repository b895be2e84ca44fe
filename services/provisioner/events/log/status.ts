// How the log does, as operators are told it.

export interface EventLogStatus {
  readonly logId: string;
  /** 0 where it is empty. */
  readonly first: number;
  readonly last: number;
  readonly uncommittedBytes: number;
  readonly failing: boolean;
  /** A sentence for people; empty where it is not failing. */
  readonly error: string;
  /** Events that could not be written, since the start. */
  readonly lost: number;
}
