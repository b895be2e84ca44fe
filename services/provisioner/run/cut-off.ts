// A run that configured its node and ends without having seen it restart: which ends those are, and how they are
// told. That a later run mends it is the fleet's matter.

import type { Outcome } from './outcome.js';

/** What a run left on a node that it did not restart; perhaps, where the reply to Configure was lost for good. */
export type CutOff = 'CONFIGURED' | 'PERHAPS_CONFIGURED';

/**
 * @param configured what the run did to its node; undefined where it came to nothing
 * @returns what the run leaves for a later one to mend
 */
export function cutOffBy(outcome: Outcome, configured: CutOff | undefined): CutOff | undefined {
  if (outcome.kind === 'PROVISIONED' && !outcome.unsettled) return undefined;
  // It did restart.
  if (outcome.kind === 'FAILED' && outcome.reason === 'RESTARTED_UNCONFIGURED') return undefined;
  return configured;
}

/** @returns the outcome, with a message that says how the node was left */
export function tellCutOff(outcome: Outcome, cutOff: CutOff | undefined): Outcome {
  if (cutOff === undefined || !('message' in outcome)) return outcome;
  // It may have come up with its configuration.
  if (outcome.kind === 'SUPERSEDED' && outcome.by === 'BOOT') return outcome;
  const left =
    cutOff === 'CONFIGURED' ? 'configured, but not restarted' : 'perhaps configured, and not restarted';
  return { ...outcome, message: `${left}: ${outcome.message}` };
}
