// What a start makes of the state that it found, once the files are in their places.

import { findRun, type NodeState, withRun } from './node-state.js';

/**
 * A configuration that waited is installed, and its run confirmed where the node came up with it out of provisioning
 * mode; one that was withdrawn is gone; an upgrade that was cut off has failed.
 *
 * @param now Unix milliseconds
 * @returns the very object that was given where nothing is to change
 */
export function started(state: NodeState, provisioning: boolean, now: number): NodeState {
  return withoutUpgrade(settled(state, provisioning, now), now);
}

function settled(state: NodeState, provisioning: boolean, now: number): NodeState {
  const { configuration } = state;
  switch (configuration?.status) {
    case undefined:
      return state;
    case 'WITHDRAWN':
      return { ...state, configuration: undefined };
    case 'COMMITTED': {
      const installed = { ...configuration, status: 'INSTALLED', staging: '', replaces: [] } as const;
      const next: NodeState = { ...state, configuration: installed };
      return provisioning ? next : confirmed({ ...next, hold: undefined, formerHolds: [] }, now);
    }
    case 'INSTALLED': {
      // Told to restart or to stop since it came up first, its run has come up with it once more.
      const stage = findRun(state, configuration.runId)?.stage;
      return provisioning || stage === undefined || stage === 'CONFIRMED' ? state : confirmed(state, now);
    }
  }
}

function confirmed(state: NodeState, now: number): NodeState {
  const { configuration } = state;
  if (configuration === undefined) return state;
  const { runId, digest } = configuration;
  return withRun(state, { runId, stage: 'CONFIRMED', configurationDigest: digest, updatedAt: now });
}

/** A release that was not replaced when the node went down is the one before. */
function withoutUpgrade(state: NodeState, now: number): NodeState {
  const cutOff = state.runs.find(({ stage }) => stage === 'UPGRADING');
  const next = state.upgraded ? { ...state, upgraded: false } : state;
  return cutOff === undefined ? next : withRun(next, { ...cutOff, stage: 'FAILED', updatedAt: now });
}
