// Why an agent refuses a call (design, section 3). api/refusals.ts gives each its status code.

import type { AgentReason } from '../../../shared/grpc/reasons.js';
import type { Violation } from './arguments.js';

export type Refusal =
  | {
      readonly reason: Exclude<AgentReason, 'LOCKED' | 'STALE_FENCE' | 'ARGUMENT_INVALID' | 'KEY_CHANGED'>;
    }
  | { readonly reason: 'LOCKED'; readonly site: string; readonly retryAfterMs: number }
  | { readonly reason: 'STALE_FENCE'; readonly fence: bigint; readonly idleMs: number }
  | { readonly reason: 'ARGUMENT_INVALID'; readonly violations: readonly Violation[] }
  | { readonly reason: 'KEY_CHANGED'; readonly what: string };

/** An agent refused a call: it had no effect. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.reason);
    this.refusal = refusal;
  }

  get reason(): AgentReason {
    return this.refusal.reason;
  }
}

/** The agent is down, or goes down while the call waits: it had no effect. */
export class DownError extends Error {
  override readonly name = 'DownError';

  constructor() {
    super('the agent is down');
  }
}

/** The agent does not serve what was called: it had no effect. */
export class NotServedError extends Error {
  override readonly name = 'NotServedError';
}
