// Runs that the log knows and this process does not: those of its earlier lives.

import type { Identity, RunId } from '../../../../shared/identity.js';
import type { PastRun } from '../../run/confirmations.js';
import type { EventLog } from './event-log.js';
import { RecordError } from './record.js';
import { StoreError } from './store.js';

/** Events of a node that are looked at, from the newest on. */
const mostLookedAt = 200;

export class PastRuns {
  readonly #log: Pick<EventLog, 'newest'>;

  constructor(log: Pick<EventLog, 'newest'>) {
    this.#log = log;
  }

  /** @returns undefined where the log does not know how it ended, or cannot be read */
  find(identity: Identity, runId: RunId): PastRun | undefined {
    try {
      return this.#find(identity, runId);
    } catch (error) {
      if (error instanceof StoreError || error instanceof RecordError) return undefined;
      throw error;
    }
  }

  #find(identity: Identity, runId: RunId): PastRun | undefined {
    let ended: PastRun | undefined;
    for (const { at, header } of this.#log.newest(identity, mostLookedAt)) {
      if (header.runId !== runId) continue;
      if (header.type === 'NODE_CONFIRMED') return { confirmed: true };
      if (header.type === 'RUN_FINISHED') {
        const { configurationDigest = '' } = header;
        ended = { confirmed: false, endedAt: at, configurationDigest };
      }
      if (header.type === 'RUN_STARTED') break;
    }
    return ended;
  }
}
