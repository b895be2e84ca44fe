// What a run and the helper's breaker say to one another (design, section 7). The run says how the helper does; the
// breaker, whether it may be asked, and whether a failure of it is held against the node.

import type { RunId } from '../../../shared/identity.js';
import type { HelperFailureReason, Outcome } from './outcome.js';

/** The helper gave no usable reply. */
export interface HelperFailure {
  readonly kind: 'FAILED';
  readonly reason: HelperFailureReason;
  readonly message: string;
}

export interface HelperBreaker {
  /** Asked right before the helper is. Where it says false the run ends as {@link givenBack}. */
  mayAsk(runId: RunId): boolean;
  /** The helper gave a usable reply, whatever it said. */
  answered(): void;
  /** @returns how the run ends */
  failed(runId: RunId, failure: HelperFailure): Outcome;
}

/** How a run ends that could not ask the helper, or in vain, because the helper fails for every node. */
export const givenBack: Outcome = { kind: 'CANCELLED', cause: 'BREAKER' };
