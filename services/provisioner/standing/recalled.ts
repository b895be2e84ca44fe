// Brings what is remembered of a node together with what the event log tells of it.

import { mostRuns, type Past } from './past.js';

/**
 * @param isKnown whether the fleet has a record of the node
 * @returns undefined where neither tells anything
 */
export function withRecalled(
  past: Past | undefined,
  recalled: Past | undefined,
  isKnown: boolean,
): Past | undefined {
  if (recalled === undefined) return past;
  const remembered = past?.runs ?? [];
  const ids = new Set(remembered.map(({ runId }) => runId));
  const others = recalled.runs.filter(({ runId }) => !ids.has(runId));
  return {
    identity: recalled.identity,
    runs: [...remembered, ...others].slice(0, mostRuns),
    left: isKnown ? undefined : (past?.left ?? recalled.left),
    // Those of before say nothing of now.
    loop: past?.loop,
    conflict: past?.conflict,
  };
}
