// What an upgrade makes of a node's state: accepted, then done or failed. One that a crash cuts off between is failed
// by the next start (start.ts).

import type { RunId } from '../../../shared/identity.js';
import { type NodeState, outdated, reached } from './node-state.js';

/** An upgrade begins. A configuration that waits for a start goes with the release that it was made for. */
export function upgrading(state: NodeState, runId: RunId, now: number): NodeState {
  return reached(outdated(state, []), runId, 'UPGRADING', now);
}

/** The release was replaced; the next start is with it. */
export function upgraded(
  state: NodeState,
  runId: RunId,
  release: string | undefined,
  now: number,
): NodeState {
  return { ...reached(state, runId, 'UPGRADED', now), release, upgraded: true };
}

/** The release could not be replaced. @param before the one that the node had */
export function upgradeFailed(
  state: NodeState,
  runId: RunId,
  before: string | undefined,
  now: number,
): NodeState {
  return { ...reached(state, runId, 'FAILED', now), release: before, upgraded: false };
}
