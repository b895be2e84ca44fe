// THE table of admission (design, section 5): what each kind of event does to a host in each state.
// Data and a classifier, both pure; the fleet carries the actions out.

import type { BootRelation } from './boots.js';
import type { NodeEvent } from './node-event.js';

export const hostStates = ['QUEUED', 'RUNNING', 'HELD', 'BACKING_OFF'] as const;

export type HostState = (typeof hostStates)[number];

/** UNKNOWN is a node that the fleet has no record of. */
export type Standing = HostState | 'UNKNOWN';

/** What an event means to the record of its node: the columns of the table. */
export type Meaning =
  /** It wants provisioning, in the boot that the record knows. */
  | 'SIGHTED_SAME_BOOT'
  /** It wants provisioning, in a boot that the record has not seen. */
  | 'SIGHTED_NEW_BOOT'
  /** It is gone, or came up configured. */
  | 'LEFT'
  /** It speaks of a boot that was replaced, or of none that matters: changes nothing. */
  | 'NOTHING';

export type Action =
  | 'IGNORE'
  /** Record the node and queue it at the tail, if it fits. */
  | 'ADMIT'
  /** Take over address, certificate and time in place; the host keeps its turn. */
  | 'REFRESH'
  /** The same, and clear what was fetched. */
  | 'REFRESH_AND_FORGET'
  | 'RELEASE'
  /** Store for the next run; the state does not change. */
  | 'NOTE'
  /** Store it, and interrupt the run before its point of no return. */
  | 'NOTE_AND_SUPERSEDE'
  /** Queue it at the tail with nothing fetched and not provisioned, if it fits. */
  | 'END_HOLD';

/** The table. A cell that is missing does not compile. */
export const admission: Readonly<Record<Standing, Readonly<Record<Meaning, Action>>>> = {
  UNKNOWN: {
    SIGHTED_SAME_BOOT: 'ADMIT',
    SIGHTED_NEW_BOOT: 'ADMIT',
    LEFT: 'IGNORE',
    NOTHING: 'IGNORE',
  },
  QUEUED: {
    SIGHTED_SAME_BOOT: 'REFRESH',
    SIGHTED_NEW_BOOT: 'REFRESH_AND_FORGET',
    LEFT: 'RELEASE',
    NOTHING: 'IGNORE',
  },
  RUNNING: {
    SIGHTED_SAME_BOOT: 'NOTE',
    SIGHTED_NEW_BOOT: 'NOTE_AND_SUPERSEDE',
    LEFT: 'NOTE',
    NOTHING: 'IGNORE',
  },
  HELD: {
    SIGHTED_SAME_BOOT: 'NOTE',
    SIGHTED_NEW_BOOT: 'END_HOLD',
    LEFT: 'NOTE',
    NOTHING: 'IGNORE',
  },
  BACKING_OFF: {
    SIGHTED_SAME_BOOT: 'NOTE',
    SIGHTED_NEW_BOOT: 'NOTE',
    LEFT: 'RELEASE',
    NOTHING: 'IGNORE',
  },
};

/**
 * @param boot how the event's boot relates to the record; NEW where there is no record
 * @returns the column of the table that an event belongs to
 */
export function meaningOf(type: NodeEvent['type'], boot: BootRelation): Meaning {
  switch (type) {
    case 'STARTUP':
    case 'SIGHTED':
    case 'UPGRADED':
      if (boot === 'REPLACED') return 'NOTHING';
      return boot === 'NEW' ? 'SIGHTED_NEW_BOOT' : 'SIGHTED_SAME_BOOT';
    case 'SHUTDOWN':
    case 'EXPIRED':
      return boot === 'CURRENT' ? 'LEFT' : 'NOTHING';
    case 'PROVISIONED':
      return boot === 'REPLACED' ? 'NOTHING' : 'LEFT';
    case 'CONFLICT':
      return 'NOTHING';
  }
}
