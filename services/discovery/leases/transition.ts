// What a report makes of its boot: the phase that follows, and the event that watchers hear. One table.

import type { ReportType } from '../nodes/announcement.js';
import type { NodeEvent } from '../nodes/node-event.js';
import type { Phase } from './lease.js';

export interface Transition {
  readonly phase: Phase;
  /** Undefined where watchers hear nothing new. */
  readonly event: Exclude<NodeEvent['type'], 'EXPIRED' | 'CONFLICT'> | undefined;
}

/** NEW: a boot that was not known, or holds its lease anew. */
export type Before = Phase | 'NEW';

const table: Readonly<Record<Before, Readonly<Record<ReportType, Transition>>>> = {
  NEW: {
    STARTUP: { phase: 'PROVISIONING', event: 'STARTUP' },
    ALIVE: { phase: 'PROVISIONING', event: 'SIGHTED' },
    UPGRADED: { phase: 'PROVISIONING', event: 'UPGRADED' },
    PROVISIONED: { phase: 'CONFIGURED', event: 'PROVISIONED' },
    SHUTDOWN: { phase: 'GONE', event: 'SHUTDOWN' },
  },
  PROVISIONING: {
    STARTUP: { phase: 'PROVISIONING', event: 'STARTUP' },
    ALIVE: { phase: 'PROVISIONING', event: undefined },
    UPGRADED: { phase: 'PROVISIONING', event: 'UPGRADED' },
    PROVISIONED: { phase: 'CONFIGURED', event: 'PROVISIONED' },
    SHUTDOWN: { phase: 'GONE', event: 'SHUTDOWN' },
  },
  // A boot that came up configured does not want provisioning again in the same life.
  CONFIGURED: {
    STARTUP: { phase: 'CONFIGURED', event: undefined },
    ALIVE: { phase: 'CONFIGURED', event: undefined },
    UPGRADED: { phase: 'CONFIGURED', event: undefined },
    PROVISIONED: { phase: 'CONFIGURED', event: 'PROVISIONED' },
    SHUTDOWN: { phase: 'GONE', event: 'SHUTDOWN' },
  },
  // A boot that said that it stops and yet goes on is there after all.
  GONE: {
    STARTUP: { phase: 'PROVISIONING', event: 'SIGHTED' },
    ALIVE: { phase: 'PROVISIONING', event: 'SIGHTED' },
    UPGRADED: { phase: 'PROVISIONING', event: 'SIGHTED' },
    PROVISIONED: { phase: 'CONFIGURED', event: 'PROVISIONED' },
    SHUTDOWN: { phase: 'GONE', event: undefined },
  },
};

/** What follows when a boot, as it was before, reports. */
export function transition(before: Before, type: ReportType): Transition {
  return table[before][type];
}
