// Which events a consumer wants to hear of: every part that is set must match.

import type { EventHeader } from './log-reader.js';

export interface EventFilter {
  /** Of which one must match; empty: all do. */
  readonly types: ReadonlySet<string>;
  /** Of which one must match; empty: all do. Only RUN_FINISHED has an outcome. */
  readonly outcomes: ReadonlySet<string>;
  /** Folded; empty: all do. */
  readonly identityPrefix: string;
  /** Folded; empty: all do. */
  readonly identity: string;
  /** Folded; empty: all do. */
  readonly runId: string;
}

/** Lets every event through. */
export const everyEvent: EventFilter = {
  types: new Set(),
  outcomes: new Set(),
  identityPrefix: '',
  identity: '',
  runId: '',
};

/** Whether nothing is set, so that every event matches. */
export function matchesAll(filter: EventFilter): boolean {
  const { types, outcomes, identityPrefix, identity, runId } = filter;
  return types.size === 0 && outcomes.size === 0 && `${identityPrefix}${identity}${runId}` === '';
}

/** Whether the filter lets the event through. */
export function matches(filter: EventFilter, header: EventHeader): boolean {
  const { types, outcomes, identityPrefix, identity, runId } = filter;
  if (types.size > 0 && !types.has(header.type)) return false;
  if (outcomes.size > 0 && !outcomes.has(header.outcome)) return false;
  if (identity !== '' && identity !== header.identity) return false;
  if (runId !== '' && runId !== header.runId) return false;
  return header.identity.startsWith(identityPrefix);
}
