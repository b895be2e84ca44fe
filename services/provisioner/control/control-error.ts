// Why something that an operator wants is not done. The API makes statuses of it.

export type ControlErrorKind =
  /** Nothing is known of the host, and no address was given. */
  | 'UNKNOWN_HOST'
  /** The address that was given is none, or may not be dialled. */
  | 'BAD_ADDRESS'
  /** As things stand it cannot be done; the reason says why. */
  | 'NOT_NOW'
  | 'QUEUE_FULL'
  /** The node does not answer. */
  | 'UNREACHABLE'
  /** Another provisioner, or another site, is at work on the node. */
  | 'CONTENDED';

export interface ControlErrorOptions extends ErrorOptions {
  /** Milliseconds after which it may be done. */
  readonly retryAfterMs?: number | undefined;
}

/** The message is a sentence for people. */
export class ControlError extends Error {
  override readonly name = 'ControlError';
  readonly kind: ControlErrorKind;
  /** Stable: programs match on it. */
  readonly reason: string;
  readonly retryAfterMs: number | undefined;

  constructor(kind: ControlErrorKind, reason: string, message: string, options: ControlErrorOptions = {}) {
    super(message, options);
    this.kind = kind;
    this.reason = reason;
    this.retryAfterMs = options.retryAfterMs;
  }
}
