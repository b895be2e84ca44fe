// What the event log tells of a node whose past this provisioner does not remember: what was before its start, and what
// it has forgotten.

import { Event } from '../../../shared/gen/slipway/provisioner/v1/events.js';
import type { Identity } from '../../../shared/identity.js';
import type { Logger } from '../../../shared/logger.js';
import type { EventLogReader } from '../events/watch/log-reader.js';
import type { Past } from '../standing/past.js';
import { pastFrom } from './past-from-events.js';

/** @returns undefined where the log has nothing of the node, or cannot be read */
export type Recall = (identity: Identity) => Past | undefined;

export interface RecallOptions {
  readonly events: Pick<EventLogReader, 'last' | 'readOf'>;
  /** This provisioner's instance id. */
  readonly instance: string;
  readonly log: Pick<Logger, 'warn'>;
}

/** Events of a node that are looked at, from the newest on: a run has about ten, and many more where it was hard. */
const mostEvents = 100;

export function recallFrom({ events, instance, log }: RecallOptions): Recall {
  return (identity) => {
    try {
      const items = events.readOf(identity, { order: 'NEWEST_FIRST', at: events.last, max: mostEvents });
      const found = items.flatMap((item) => (item.kind === 'EVENT' ? [Event.decode(item.bytes)] : []));
      return pastFrom(identity, found.reverse(), instance);
    } catch (err) {
      // Who asks about a host may do so because something is broken: what is remembered is told all the same.
      log.warn({ err, identity }, 'the event log cannot be asked for the past of a node');
      return undefined;
    }
  };
}
